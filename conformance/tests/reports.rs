//! The reports that are kept of runs on a GPU: nothing failed, and what has to have the same bits everywhere has them.
#![allow(clippy::unwrap_used)]

use serde_json::Value;
use std::collections::BTreeMap;

fn report(name: &str) -> Value {
    let path = format!("{}/reports/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))).unwrap()
}

/// The checks of each run, by name.
fn runs(report: &Value) -> Vec<BTreeMap<&str, &Value>> {
    report["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| {
            run["checks"].as_array().unwrap().iter().map(|check| (check["id"].as_str().unwrap(), check)).collect()
        })
        .collect()
}

#[test]
fn the_same_bits_on_cpu_and_cuda() {
    let (cuda, cpu) = (report("h200-cuda.json"), report("cpu.json"));
    assert_eq!((&cuda["seed"], &cuda["level"]), (&cpu["seed"], &cpu["level"]));
    assert_eq!(cuda["level"], "full");
    let (on_cuda, on_cpu) = (runs(&cuda), runs(&cpu));
    assert_eq!((on_cuda.len(), on_cpu.len()), (1, 2));
    for (run, device) in on_cuda.iter().chain(&on_cpu).zip(["cuda", "cpu inline", "cpu async"]) {
        for (id, check) in run {
            assert_eq!(check["outcome"], "pass", "{id} on {device}");
        }
    }
    let mut compared = 0;
    for other in &on_cpu {
        let names = |run: &BTreeMap<&str, &Value>| run.keys().map(|&id| id.to_owned()).collect::<Vec<_>>();
        assert_eq!(names(&on_cuda[0]), names(other));
        for (id, check) in &on_cuda[0] {
            if check["class"] == "R" {
                assert_eq!(check["output_hash"], other[id]["output_hash"], "{id}");
                compared += 1;
            }
        }
    }
    assert!(compared > 2000, "{compared} checks of class R");
}
