//! The picture.

use super::pca::Pca;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;
use std::ops::Range;

const SIZE: (u32, u32) = (960, 800);

/// The shape of the area inside the axes: [`SIZE`] without what is around it in [`draw`].
const PLOT: (f64, f64) = (770.0, 685.0);

/// Ten colours that keep apart (Tableau 10).
const COLOURS: [RGBColor; 10] = [
    RGBColor(78, 121, 167),
    RGBColor(242, 142, 43),
    RGBColor(225, 87, 89),
    RGBColor(118, 183, 178),
    RGBColor(89, 161, 79),
    RGBColor(237, 201, 72),
    RGBColor(176, 122, 161),
    RGBColor(255, 157, 167),
    RGBColor(156, 117, 95),
    RGBColor(110, 110, 110),
];

/// An SVG of each row along the first two components, in the colour of its digit, with each digit at the centre of its
/// rows.
///
/// # Errors
/// Those of plotters.
pub(crate) fn scatter(pca: &Pca, digits: &[u8]) -> Result<String, Box<dyn Error>> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        draw(&area, pca, digits)?;
        area.present()?;
    }
    Ok(svg)
}

fn draw(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    pca: &Pca,
    digits: &[u8],
) -> Result<(), Box<dyn Error>> {
    area.fill(&WHITE)?;
    let shares: Vec<f64> = pca.ratios().map(|ratio| 100.0 * ratio).collect();
    let (x, y) = ranges(&pca.scores);
    let mut chart = ChartBuilder::on(area)
        .caption("Handwritten digits along their first two principal components", ("sans-serif", 24))
        .margin(16)
        .margin_right(110)
        .x_label_area_size(52)
        .y_label_area_size(64)
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .x_desc(format!("component 1 ({:.1} % of the variance)", shares[0]))
        .y_desc(format!("component 2 ({:.1} % of the variance)", shares[1]))
        .axis_desc_style(("sans-serif", 18))
        .label_style(("sans-serif", 15))
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.08))
        .draw()?;

    // In the order of the rows, which mixes the digits: drawn one digit after the other, the last would cover the
    // first.
    let points = pca.scores.iter().zip(digits);
    chart.draw_series(points.map(|(&[x, y], &d)| Circle::new((x, y), 3, colour(d).mix(0.65).filled())))?;

    let centred = Pos::new(HPos::Center, VPos::Center);
    let number = ("sans-serif", 30).into_font().style(FontStyle::Bold);
    let halo = number.clone().color(&WHITE).pos(centred);
    let ink = number.color(&BLACK).pos(centred);
    for digit in 0..10 {
        let Some((x, y)) = centre(pca, digits, digit) else { continue };
        // An SVG text has no outline in plotters; white copies around it do the same.
        for offset in [(-2, 0), (2, 0), (0, -2), (0, 2), (-1, -1), (1, 1), (-1, 1), (1, -1)] {
            chart.draw_series([EmptyElement::at((x, y)) + Text::new(digit.to_string(), offset, halo.clone())])?;
        }
        chart.draw_series([EmptyElement::at((x, y)) + Text::new(digit.to_string(), (0, 0), ink.clone())])?;
    }
    legend(area, digits)
}

/// The digits that occur, with their colours, beside the chart.
fn legend(area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>, digits: &[u8]) -> Result<(), Box<dyn Error>> {
    let left = SIZE.0 as i32 - 84;
    let style = ("sans-serif", 18).into_font().color(&BLACK).pos(Pos::new(HPos::Left, VPos::Center));
    area.draw(&Text::new("digit", (left, 90), style.clone()))?;
    for (i, digit) in (0..10).filter(|digit| digits.contains(digit)).enumerate() {
        let y = 120 + 26 * i as i32;
        area.draw(&Circle::new((left + 8, y), 7, colour(digit).filled()))?;
        area.draw(&Text::new(digit.to_string(), (left + 26, y), style.clone()))?;
    }
    Ok(())
}

fn colour(digit: u8) -> RGBColor {
    COLOURS[usize::from(digit) % COLOURS.len()]
}

/// The mean of a digit's rows.
fn centre(pca: &Pca, digits: &[u8], digit: u8) -> Option<(f64, f64)> {
    let of_digit = || pca.scores.iter().zip(digits).filter(|&(_, &d)| d == digit).map(|(s, _)| s);
    let n = of_digit().count() as f64;
    (n > 0.0).then(|| (of_digit().map(|s| s[0] / n).sum(), of_digit().map(|s| s[1] / n).sum()))
}

/// Ranges that hold all points and a little space, with the same scale on both axes: distances in the picture are
/// distances in the data.
fn ranges(scores: &[[f64; 2]]) -> (Range<f64>, Range<f64>) {
    let [x, y] = [0, 1].map(|axis| {
        let values = scores.iter().map(|s| s[axis]);
        let (low, high) = values.fold((0f64, 0f64), |(low, high), x| (low.min(x), high.max(x)));
        ((low + high) / 2.0, (high - low) / 2.0)
    });
    let (width, height) = PLOT;
    // The floor is for points that are all in one place.
    let unit = (1.06 * (x.1 / width).max(y.1 / height)).max(f64::MIN_POSITIVE.sqrt());
    let range = |middle: f64, pixels: f64| middle - unit * pixels..middle + unit * pixels;
    (range(x.0, width), range(y.0, height))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn pca(scores: Vec<[f64; 2]>) -> Pca {
        Pca { variances: vec![3.0, 1.0], total_variance: 8.0, components: Vec::new(), scores, iterations: 1 }
    }

    /// Each row is one circle in its digit's colour, each digit that occurs has one more in the legend; axes and title
    /// are there.
    #[test]
    fn what_is_drawn() {
        let svg = scatter(&pca(vec![[0.0, 1.0], [2.0, -1.0], [-3.0, 0.5]]), &[0, 0, 7]).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert_eq!(svg.matches("<circle").count(), 5);
        for (digit, circles) in [(0, 3), (7, 2), (1, 0)] {
            let RGBColor(r, g, b) = colour(digit);
            let fill = format!("fill=\"#{r:02X}{g:02X}{b:02X}\"");
            let drawn = svg.lines().filter(|line| line.starts_with("<circle") && line.contains(&fill)).count();
            assert_eq!(drawn, circles, "digit {digit}");
        }
        for text in ["principal components", "component 1 (37.5 %", "component 2 (12.5 %", "digit"] {
            assert!(svg.contains(text), "{text}");
        }
    }

    /// Points on a line, in one place, huge and tiny still make a picture.
    #[test]
    fn degenerate_scores() {
        for scores in [vec![[1.0, 0.0], [-1.0, 0.0]], vec![[0.0, 0.0]; 2], vec![[1e150, -1e-150], [-1e150, 1e-150]]] {
            let svg = scatter(&pca(scores), &[1, 2]).unwrap();
            assert_eq!(svg.matches("<circle").count(), 4);
            assert!(!svg.contains("NaN") && !svg.contains("inf"));
        }
    }
}
