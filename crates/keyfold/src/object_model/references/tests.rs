//! Documents that use each place, by hand, so that a slip in the table is seen.

use serde_json::{Value, json};

use super::*;

fn found(document: &Value, collection: Collection) -> Vec<(String, usize)> {
    references(document, collection).into_iter().map(|reference| (reference.at.to_string(), reference.index)).collect()
}

fn indices(document: &Value, collection: Collection) -> Vec<usize> {
    let mut indices: Vec<_> = found(document, collection).into_iter().map(|(_, index)| index).collect();
    indices.sort_unstable();
    indices
}

fn core() -> Value {
    json!({
        "scene": 0,
        "scenes": [{ "nodes": [1] }],
        "nodes": [{ "mesh": 0, "skin": 0, "camera": 1 }, { "children": [0, 2] }, {}],
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": 0, "NORMAL": 1 }, "indices": 2, "material": 3,
            "targets": [{ "POSITION": 3 }, { "POSITION": 4 }]
        }] }],
        "skins": [{ "inverseBindMatrices": 5, "joints": [1, 2], "skeleton": 1 }],
        "animations": [{
            "samplers": [{ "input": 6, "output": 7 }],
            "channels": [{ "sampler": 0, "target": { "node": 2, "path": "rotation" } }]
        }],
        "accessors": [
            { "bufferView": 0 }, {}, {}, {}, {}, {}, {}, {},
            { "sparse": { "indices": { "bufferView": 1 }, "values": { "bufferView": 2 } } }
        ],
        "bufferViews": [{ "buffer": 1 }, {}, {}, {}, {}],
        "images": [{ "bufferView": 4 }],
        "textures": [{ "source": 0, "sampler": 2 }],
        "materials": [{
            "normalTexture": { "index": 0, "texCoord": 9 },
            "pbrMetallicRoughness": { "baseColorTexture": { "index": 1 } },
            "extensions": {
                "KHR_materials_clearcoat": { "clearcoatNormalTexture": { "index": 2 } },
                "VRMC_materials_mtoon": { "shadeMultiplyTexture": { "index": 3 } }
            },
            "extras": { "myTexture": { "index": 8 } }
        }]
    })
}

#[test]
fn core_references() {
    let document = core();
    assert_eq!(indices(&document, Collection::Accessors), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(indices(&document, Collection::BufferViews), [0, 1, 2, 4]);
    assert_eq!(indices(&document, Collection::Buffers), [1]);
    assert_eq!(indices(&document, Collection::Cameras), [1]);
    assert_eq!(indices(&document, Collection::Images), [0]);
    assert_eq!(indices(&document, Collection::Materials), [3]);
    assert_eq!(indices(&document, Collection::Meshes), [0]);
    assert_eq!(indices(&document, Collection::Nodes), [0, 1, 1, 1, 2, 2, 2]);
    assert_eq!(indices(&document, Collection::Samplers), [2]);
    assert_eq!(indices(&document, Collection::Scenes), [0]);
    assert_eq!(indices(&document, Collection::Skins), [0]);
    assert_eq!(indices(&document, Collection::Textures), [0, 1, 2, 3]);
    assert_eq!(unreferenced(&document, Collection::Accessors), [8]);
    assert_eq!(unreferenced(&document, Collection::BufferViews), [3]);
}

#[test]
fn storage_extensions() {
    let document = json!({
        "meshes": [{ "primitives": [{ "extensions": {
            "KHR_draco_mesh_compression": { "bufferView": 7, "attributes": { "POSITION": 0 } },
            "CESIUM_primitive_outline": { "indices": 3 }
        } }] }],
        "bufferViews": [
            { "buffer": 0, "extensions": { "EXT_meshopt_compression": { "buffer": 2 } } },
            { "buffer": 1, "extensions": { "KHR_meshopt_compression": { "buffer": 3 } } }
        ],
        "nodes": [{ "extensions": { "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": 5, "_ID": 6 } } } }],
        "extensions": {
            "EXT_lights_ies": { "lights": [{ "bufferView": 8 }, { "uri": "a.ies" }] },
            "KHR_audio_emitter": { "audio": [{ "bufferView": 9 }] },
            "MSFT_audio_emitter": { "clips": [{ "bufferView": 10 }] }
        }
    });
    assert_eq!(indices(&document, Collection::Buffers), [0, 1, 2, 3]);
    assert_eq!(indices(&document, Collection::BufferViews), [7, 8, 9, 10]);
    assert_eq!(indices(&document, Collection::Accessors), [3, 5, 6]);
}

#[test]
fn draco_animation_in_both_dialects() {
    let groups = json!([
        { "input": 0, "outputs": [1, 2], "attributeId": [1, 2], "bufferView": 4 },
        { "input": 3, "outputs": [4], "attributesId": [1], "bufferView": 5 }
    ]);
    for name in ["Draco_animation_compression", "DRACO_animation_compression"] {
        for form in [groups.clone(), json!({ "compressedAnimations": groups })] {
            let document = json!({ "extensions": { name: form } });
            assert_eq!(indices(&document, Collection::Accessors), [0, 1, 2, 3, 4], "{name}");
            assert_eq!(indices(&document, Collection::BufferViews), [4, 5], "{name}");
        }
    }
}

#[test]
fn material_texture_and_light_extensions() {
    let document = json!({
        "meshes": [{ "primitives": [{ "extensions": {
            "KHR_materials_variants": { "mappings": [{ "variants": [7], "material": 2 }], "mapping": [{ "material": 3 }] }
        } }] }],
        "materials": [{ "extensions": { "MSFT_lod": { "ids": [1] } } }],
        "nodes": [{ "extensions": {
            "MSFT_lod": { "ids": [4, 5] }, "KHR_lights_punctual": { "light": 1 }, "EXT_lights_ies": { "light": 2 }
        } }],
        "scenes": [{ "extensions": { "EXT_lights_image_based": { "light": 3 } } }],
        "textures": [
            { "extensions": { "KHR_texture_basisu": { "source": 0 } } },
            { "extensions": { "EXT_texture_webp": { "source": 1 }, "EXT_texture_avif": { "source": 2 } } },
            { "extensions": { "MSFT_texture_dds": { "source": 3 } } }
        ],
        "extensions": { "EXT_lights_image_based": { "lights": [{ "specularImages": [[4, 5], [6, 7]] }] } }
    });
    assert_eq!(indices(&document, Collection::Materials), [1, 2, 3]);
    assert_eq!(indices(&document, Collection::Nodes), [4, 5]);
    assert_eq!(indices(&document, Collection::PunctualLights), [1]);
    assert_eq!(indices(&document, Collection::IesLights), [2]);
    assert_eq!(indices(&document, Collection::ImageBasedLights), [3]);
    assert_eq!(indices(&document, Collection::Images), [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn avatars() {
    let document = json!({
        "nodes": [{ "extensions": { "VRMC_node_constraint": { "constraint": { "aim": { "source": 20 } } } } }],
        "extensions": {
            "VRM": {
                "meta": { "texture": 0 },
                "humanoid": { "humanBones": [{ "bone": "hips", "node": 1 }] },
                "firstPerson": { "firstPersonBone": 2, "meshAnnotations": [{ "mesh": 0 }] },
                "blendShapeMaster": { "blendShapeGroups": [{ "binds": [{ "mesh": 1, "index": 9, "weight": 100 }] }] },
                "secondaryAnimation": {
                    "boneGroups": [{ "center": -1, "bones": [3, 4], "colliderGroups": [0] }],
                    "colliderGroups": [{ "node": 5 }]
                },
                "materialProperties": [{ "textureProperties": { "_MainTex": 1 } }]
            },
            "VRMC_vrm": {
                "meta": { "thumbnailImage": 2 },
                "humanoid": { "humanBones": { "hips": { "node": 6 } } },
                "firstPerson": { "meshAnnotations": [{ "node": 7 }] },
                "expressions": {
                    "preset": { "happy": {
                        "morphTargetBinds": [{ "node": 8, "index": 3 }],
                        "materialColorBinds": [{ "material": 0 }]
                    } },
                    "custom": { "x": { "textureTransformBinds": [{ "material": 1 }] } }
                }
            },
            "VRMC_vrm_animation": {
                "humanoid": { "humanBones": { "hips": { "node": 9 } } },
                "expressions": { "preset": { "aa": { "node": 10 } }, "custom": { "x": { "node": 11 } } },
                "lookAt": { "node": 12 }
            },
            "VRMC_springBone": {
                "colliders": [{ "node": 13 }],
                "springs": [{ "joints": [{ "node": 14 }], "center": 15, "colliderGroups": [0] }]
            }
        }
    });
    assert_eq!(indices(&document, Collection::Nodes), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 20]);
    assert_eq!(indices(&document, Collection::Meshes), [0, 1]);
    assert_eq!(indices(&document, Collection::Materials), [0, 1]);
    assert_eq!(indices(&document, Collection::Images), [2]);
    assert_eq!(indices(&document, Collection::Textures), [0, 1]);
}

fn pointers() -> Value {
    json!({ "animations": [{
        "channels": [
            { "target": { "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": "/nodes/12/weights/12" } } } },
            { "target": { "path": "translation", "extensions": { "KHR_animation2": { "path": "/materials/1/alphaCutoff" } } } },
            { "target": { "path": "/nodes/3/rotation", "extensions": { "KHR_animation2": {} } } },
            { "target": { "path": "nodes/4/rotation", "extensions": { "KHR_animation2": {} } } },
            { "target": { "path": "/extensions/KHR_lights/lights/2/color", "extensions": { "KHR_animation2": {} } } },
            { "targetpointer": "nodes/5/rotation" },
            { "targets": ["nodes/6/rotation/0", "nodes/6/rotation/1"] }
        ],
        "extensions": { "EXT_property_animation": { "channels": [{ "target": "/cameras/5/perspective/yfov" }] } }
    }] })
}

#[test]
fn pointers_in_every_form() {
    let document = pointers();
    assert_eq!(indices(&document, Collection::Nodes), [3, 4, 5, 6, 6, 12]);
    assert_eq!(indices(&document, Collection::Materials), [1]);
    assert_eq!(indices(&document, Collection::Cameras), [5]);
    assert_eq!(indices(&document, Collection::PunctualLights), [2]);
    assert!(references(&document, Collection::Nodes).iter().all(|reference| reference.form == Form::Pointer));
}

#[test]
fn renumbering_rewrites_indices_and_pointers() {
    let mut document = pointers();
    let map: Vec<_> = (0..13).map(|old| Some(100 + old)).collect();
    for &collection in Collection::ALL {
        renumber(&mut document, collection, &map).unwrap();
    }
    let channels = &document["animations"][0]["channels"];
    let inside = |index: usize| &channels[index]["target"]["extensions"];
    assert_eq!(inside(0)["KHR_animation_pointer"]["pointer"], "/nodes/112/weights/12");
    assert_eq!(inside(1)["KHR_animation2"]["path"], "/materials/101/alphaCutoff");
    assert_eq!(channels[1]["target"]["path"], "translation");
    assert_eq!(channels[2]["target"]["path"], "/nodes/103/rotation");
    assert_eq!(channels[3]["target"]["path"], "nodes/104/rotation");
    assert_eq!(channels[4]["target"]["path"], "/extensions/KHR_lights/lights/102/color");
    assert_eq!(channels[5]["targetpointer"], "nodes/105/rotation");
    assert_eq!(channels[6]["targets"][1], "nodes/106/rotation/1");
    let property = &document["animations"][0]["extensions"]["EXT_property_animation"];
    assert_eq!(property["channels"][0]["target"], "/cameras/105/perspective/yfov");
}

#[test]
fn a_permutation_is_undone_by_its_inverse() {
    let original = core();
    let mut document = original.clone();
    let turn: Vec<_> = (0..9).map(|old| Some((old + 4) % 9)).collect();
    let back: Vec<_> = (0..9).map(|old| Some((old + 5) % 9)).collect();
    let referred = Collection::ALL.iter().filter(|&&collection| !references(&original, collection).is_empty());
    let mut count = 0;
    for &collection in referred {
        renumber(&mut document, collection, &turn).unwrap();
        assert_ne!(document.to_string(), original.to_string(), "{collection}");
        renumber(&mut document, collection, &back).unwrap();
        assert_eq!(document.to_string(), original.to_string(), "{collection}");
        count += 1;
    }
    assert_eq!(count, 12, "all of core's collections but the animations");
}

#[test]
fn retaining_removes_and_closes_the_gap() {
    let mut document = json!({
        "accessors": [{ "name": "a" }, { "name": "b" }, { "name": "c" }],
        "animations": [{ "samplers": [{ "input": 0, "output": 2 }, { "input": 0, "output": 9 }] }]
    });
    let map = retain(&mut document, Collection::Accessors, |index| index != 1).unwrap();
    assert_eq!(map, [Some(0), None, Some(1)]);
    assert_eq!(document["accessors"], json!([{ "name": "a" }, { "name": "c" }]));
    let samplers = &document["animations"][0]["samplers"];
    assert_eq!(samplers, &json!([{ "input": 0, "output": 1 }, { "input": 0, "output": 9 }]));

    let before = document.clone();
    let error = retain(&mut document, Collection::Accessors, |index| index == 0).unwrap_err();
    assert_eq!(error.to_string(), "/accessors/1 cannot be removed: /animations/0/samplers/0/output refers to it");
    assert_eq!(document, before);
}

#[test]
fn an_empty_array_goes_and_what_goes_may_refer_to_what_goes() {
    let mut document = json!({ "asset": {}, "nodes": [{ "children": [1] }, {}], "extras": 1 });
    assert!(retain(&mut document, Collection::Nodes, |index| index == 0).is_err());
    retain(&mut document, Collection::Nodes, |_| false).unwrap();
    assert_eq!(document.to_string(), r#"{"asset":{},"extras":1}"#);
}

#[test]
fn indices_may_be_written_as_floats_but_not_as_anything_else() {
    let document =
        json!({ "nodes": [{ "mesh": 2.0 }, { "mesh": 1.5 }, { "mesh": -1 }, { "mesh": "3" }, { "mesh": 1e300 }] });
    assert_eq!(found(&document, Collection::Meshes), [("/nodes/0/mesh".to_owned(), 2)]);
}

#[test]
fn unknown_extensions_are_named_wherever_they_stand() {
    let document = json!({
        "extensionsUsed": ["KHR_lights_punctual", "ACME_declared", "KHR_interactivity"],
        "nodes": [{ "extensions": { "ACME_inner": { "extensions": { "ACME_deep": {} } } } }],
        "extras": { "extensions": { "not_one": {} } }
    });
    assert_eq!(unknown_extensions(&document, Collection::Accessors), ["ACME_declared", "ACME_deep", "ACME_inner"]);
    assert_eq!(unknown_extensions(&document, Collection::Nodes).len(), 4);
    assert!(unknown_extensions(&core(), Collection::Accessors).is_empty());
}

#[test]
fn a_reference_says_what_it_refers_to_and_where() {
    let first = serde_json::to_value(&references(&core(), Collection::Accessors)[0]).unwrap();
    let at = "/meshes/0/primitives/0/attributes/POSITION";
    assert_eq!(first, json!({ "collection": "accessors", "index": 0, "at": at, "form": "index" }));
}
