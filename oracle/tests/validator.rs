//! gltf-validator on files that Keyfold writes.

use keyfold_oracle::{node_available, sample_files, validator};

#[test]
fn samples_have_no_errors_and_no_warnings() {
    if !node_available() {
        return;
    }
    let files = sample_files();
    let reports = validator::validate(&files).expect("gltf-validator runs");
    assert_eq!(reports.len(), files.len());
    assert!(files.len() >= 4, "there are {} samples", files.len());
    for report in reports {
        assert_eq!(report.errors(), [] as [String; 0], "{}", report.file.display());
        let warnings: Vec<_> = report.issues.iter().filter(|issue| issue.severity == 1).collect();
        assert!(warnings.is_empty(), "{}: {warnings:?}", report.file.display());
    }
}
