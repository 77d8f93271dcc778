//! warpwave
