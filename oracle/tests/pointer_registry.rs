//! The registry of animatable pointers against the table that was gathered from the specifications: every row, column by
//! column.

use keyfold::object_model::{Initial, Pointer, Registry, Row, Status, Valid, ValueType};

/// A row of the table: pointer, type, accessor, quat, access, default, valid, source, note.
struct Expected<'a>(Vec<&'a str>);

impl Expected<'_> {
    fn column(&self, index: usize) -> &str {
        self.0.get(index).copied().unwrap_or_default()
    }

    fn check(&self, row: &Row) {
        let template = self.column(0);
        assert_eq!(row.value_type.name(), self.column(1), "{template}: type");
        let accessor = self.column(2).split(' ').next();
        assert_eq!(Some(row.value_type.accessor()), accessor, "{template}: accessor");
        assert_eq!(row.quaternion, self.column(3) == "quat", "{template}: quaternion");
        assert_eq!(row.mutable, self.column(4) == "rw", "{template}: access");
        if row.mutable {
            assert_eq!(initial(row), self.default(row.value_type), "{template}: default");
            assert_eq!(valid(row), self.valid(), "{template}: valid");
        }
        assert_eq!(row.status, self.status(), "{template}: status");
        let source = self.column(7);
        let named = !source.contains("_") || source.starts_with("draft") || template.contains(source);
        assert!(named, "{template}: source {source}");
    }

    fn default(&self, value_type: ValueType) -> String {
        let text = self.column(5);
        match text {
            "true" => "[1]".to_owned(),
            "pi/4" => format!("[{}]", std::f64::consts::FRAC_PI_4),
            _ if text.starts_with("none") => "none".to_owned(),
            _ if text.starts_with("+inf") => "[inf]".to_owned(),
            _ if text.starts_with("mesh.weights") || value_type == ValueType::FloatArray => "weights".to_owned(),
            _ if self.column(0).ends_with("/weights/{}") => "weights".to_owned(),
            _ if text.starts_with('[') => text.to_owned(),
            _ => format!("[{text}]"),
        }
    }

    fn valid(&self) -> String {
        let text = self.column(6);
        let first = text.split(',').next().unwrap_or_default();
        match text {
            // The table says it once, of the far plane; the registry has both ends.
            _ if self.column(0).ends_with("/znear") => format!("{text}, < zfar"),
            "[0,1]" => "[0, 1]".to_owned(),
            "[0, pi/2), < outer" => format!("[0, {}), < outer", std::f64::consts::FRAC_PI_2),
            "(0, pi/2], > inner" => format!("(0, {}], > inner", std::f64::consts::FRAC_PI_2),
            "unit quaternion" => "a unit quaternion".to_owned(),
            "!= 0, should be > 0" => "not 0, should be > 0".to_owned(),
            "> 0, should be < pi" => format!("> 0, should be < {}", std::f64::consts::PI),
            "> 0, > znear" => text.to_owned(),
            _ if text.starts_with("any") || text == "bool" || text.starts_with("schema says") => "any".to_owned(),
            _ => first.split(" in samplers").next().unwrap_or_default().to_owned(),
        }
    }

    fn status(&self) -> Status {
        let unlisted = self.column(8).starts_with("RC extension");
        match self.column(7) {
            "legacy" => Status::Legacy,
            source if source.starts_with("draft") => Status::Draft,
            _ if unlisted => Status::Unlisted,
            _ => Status::Ratified,
        }
    }
}

fn initial(row: &Row) -> String {
    match &row.initial {
        Initial::Undefined => "none".to_owned(),
        Initial::Weights => "weights".to_owned(),
        Initial::Derived => "derived".to_owned(),
        Initial::Value(value) => {
            format!("[{}]", value.iter().map(f64::to_string).collect::<Vec<_>>().join(","))
        }
    }
}

fn valid(row: &Row) -> String {
    use keyfold::object_model::Relation::{Above, Below};
    let relation = match row.relation {
        None => String::new(),
        Some(Above("innerConeAngle")) => ", > inner".to_owned(),
        Some(Below("outerConeAngle")) => ", < outer".to_owned(),
        Some(Above(other)) => format!(", > {other}"),
        Some(Below(other)) => format!(", < {other}"),
    };
    let advice = if row.advised == Valid::Any { String::new() } else { format!(", should be {}", row.advised) };
    format!("{}{relation}{advice}", row.valid)
}

#[test]
fn every_row_of_the_table_and_no_other() {
    let Some(shared) = keyfold_oracle::shared_dir() else { return };
    let table = std::fs::read_to_string(shared.join("specs/pointers.tsv")).expect("the table");
    let rows: Vec<_> = table.lines().skip(1).map(|line| Expected(line.split('\t').collect())).collect();
    let registry = Registry::standard();
    let mut seen = Vec::new();
    for expected in &rows {
        let template = expected.column(0);
        let pointer = Pointer::parse(template.replace("{}", "1")).expect("a pointer");
        let found = registry.find(&pointer).unwrap_or_else(|| panic!("{template} is not in the registry"));
        expected.check(found.row);
        seen.push(found.row.template.clone());
    }
    for row in registry.rows() {
        assert!(seen.contains(&row.template), "{} is not in the table", row.template);
    }
    let mutable = rows.iter().filter(|row| row.column(4) == "rw").count();
    println!("{} templates, {mutable} of them mutable, by {} rows", rows.len(), registry.rows().len());
    assert!(mutable >= 130);
}
