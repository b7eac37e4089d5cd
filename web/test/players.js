// What runs in the page: loads files in three.js and Babylon.js and tells what they show at given times.

/** Plugins of others, by the name that tests give them. */
const OTHERS = {
  async vrm(loader) {
    const { VRMLoaderPlugin } = await import("@pixiv/three-vrm");
    loader.register((parser) => new VRMLoaderPlugin(parser));
  },
  async needle(loader) {
    const { GLTFAnimationPointerExtension } = await import("@needle-tools/three-animation-pointer");
    loader.register((parser) => new GLTFAnimationPointerExtension(parser));
  },
  async meshopt(loader) {
    const { MeshoptDecoder } = await import("meshoptimizer");
    loader.setMeshoptDecoder(MeshoptDecoder);
  },
};

/** Three: a loaded file whose animations can be set to a time and looked at; `before` and `behind` are others' plugins around ours, `clip` is the
 * address of a runtime clip that stands for the first animation. */
export async function three(url, { plugin = true, before = [], behind = [], clip } = {}) {
  const THREE = await import("three");
  const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");
  const { KeyfoldPlugin } = await import("keyfold/three");
  const loader = new GLTFLoader();
  for (const name of before) await OTHERS[name](loader);
  if (plugin) loader.register((parser) => new KeyfoldPlugin(parser));
  for (const name of behind) await OTHERS[name](loader);
  const gltf = await loader.loadAsync(url);
  if (clip) gltf.animations[0] = await runtimeClip(clip, gltf);
  const { parser } = gltf;
  const count = (list) => (parser.json[list] ?? []).length;
  const nodes = await Promise.all(Array.from({ length: count("nodes") }, (_, i) => parser.getDependency("node", i)));
  const mixer = new THREE.AnimationMixer(gltf.scene);
  const material = (index) => {
    let found;
    gltf.scene.traverse((o) => (found ??= o.material && parser.associations.get(o.material)?.materials === index ? o.material : undefined));
    return found;
  };
  const light = (index) => {
    const node = nodes[parser.json.nodes.findIndex((n) => n.extensions?.KHR_lights_punctual?.light === index)];
    return [node, ...node.children].find((o) => o.isLight);
  };
  const readers = [
    [/^\/nodes\/(\d+)\/translation$/, (i) => nodes[i].position.toArray()],
    [/^\/nodes\/(\d+)\/rotation$/, (i) => nodes[i].quaternion.toArray()],
    [/^\/nodes\/(\d+)\/scale$/, (i) => nodes[i].scale.toArray()],
    [/^\/nodes\/(\d+)\/weights$/, (i) => [...[nodes[i], ...nodes[i].children].find((o) => o.morphTargetInfluences).morphTargetInfluences]],
    [/^\/nodes\/(\d+)\/extensions\/KHR_node_visibility\/visible$/, (i) => [Number(nodes[i].visible)]],
    [/^\/materials\/(\d+)\/pbrMetallicRoughness\/baseColorFactor$/, (i) => [...material(i).color.toArray(), material(i).opacity]],
    [/^\/materials\/(\d+)\/emissiveFactor$/, (i) => material(i).emissive.toArray()],
    [/^\/extensions\/KHR_lights_punctual\/lights\/(\d+)\/color$/, (i) => light(i).color.toArray()],
    [/^\/extensions\/KHR_lights_punctual\/lights\/(\d+)\/intensity$/, (i) => [light(i).intensity]],
  ];
  return {
    animations: gltf.animations.length,
    rest: (targets) => targets.map((target) => look(readers, target)),
    sample(animation, times, targets) {
      mixer.stopAllAction();
      const action = mixer.clipAction(gltf.animations[animation]);
      action.setLoop(THREE.LoopOnce).clampWhenFinished = true;
      action.play();
      return times.map((time) => {
        // Set directly: an action that has finished stays at its end.
        action.paused = false;
        action.time = time;
        mixer.update(0);
        return targets.map((target) => look(readers, target));
      });
    },
    gltf,
  };
}

async function runtimeClip(address, gltf) {
  const { animationClip } = await import("keyfold/three");
  const { openClip } = await import("keyfold/clip");
  return animationClip(await openClip(new Uint8Array(await (await fetch(address)).arrayBuffer())), gltf);
}

/** Babylon: the same. Properties are read the way Babylon itself resolves a pointer of the object model. */
export async function babylon(url, { extension = true } = {}) {
  const { NullEngine } = await import("@babylonjs/core/Engines/nullEngine.js");
  const { Scene } = await import("@babylonjs/core/scene.js");
  const { SceneLoader } = await import("@babylonjs/core/Loading/sceneLoader.js");
  const { registerGLTFExtension, unregisterGLTFExtension } = await import("@babylonjs/loaders/glTF/2.0/glTFLoaderExtensionRegistry.js");
  const { GetPathToObjectConverter } = await import("@babylonjs/loaders/glTF/2.0/Extensions/objectModelMapping.js");
  await import("@babylonjs/core/Materials/Textures/Loaders/index.js");
  await import("@babylonjs/loaders/glTF/2.0/index.js");
  // Babylon's own decoder, from here in place of its network.
  const { MeshoptCompression } = await import("@babylonjs/core/Meshes/Compression/meshoptCompression.js");
  MeshoptCompression.Configuration.decoder.url = `${location.origin}/node_modules/meshoptimizer/meshopt_decoder.cjs`;
  const { registerKeyfold } = await import("keyfold/babylon");
  if (extension) registerKeyfold();
  else OURS.forEach(unregisterGLTFExtension);
  // The loader knows which object stands for which part of the file.
  let loading;
  unregisterGLTFExtension("KEYFOLD_probe");
  registerGLTFExtension("KEYFOLD_probe", false, (loader) => {
    loading = loader;
    return { name: "KEYFOLD_probe", enabled: false, dispose() {} };
  });
  const scene = new Scene(new NullEngine());
  scene.useRightHandedSystem = true;
  const [, folder, name] = /^(.*\/)([^/]+)$/.exec(url);
  await SceneLoader.AppendAsync(folder, name, scene);
  const converter = GetPathToObjectConverter(loading.gltf);
  const numbers = (value) =>
    typeof value === "number" || typeof value === "boolean" ? [Number(value)] : Array.isArray(value) || ArrayBuffer.isView(value) ? [...value] : value.asArray();
  const influences = (node) => {
    const { morphTargetManager } = node._primitiveBabylonMeshes[0];
    return Array.from({ length: morphTargetManager.numTargets }, (_, i) => morphTargetManager.getTarget(i).influence);
  };
  const read = (target) => {
    const weights = /^\/nodes\/(\d+)\/weights$/.exec(target);
    if (weights) return influences(loading.gltf.nodes[Number(weights[1])]);
    const { object, info } = converter.convert(target);
    return numbers(info.get(object));
  };
  return {
    animations: scene.animationGroups.length,
    rest: (targets) => targets.map(read),
    sample(animation, times, targets) {
      scene.animationGroups.forEach((group) => group.stop());
      const group = scene.animationGroups[animation];
      group.start();
      return times.map((time) => {
        group.goToFrame(time * 60);
        return targets.map(read);
      });
    },
  };
}

const OURS = [
  "EXT_animation_quantization", "Draco_animation_compression", "DRACO_animation_compression", "KHR_animation2", "EXT_property_animation", "EXT_animation_sqlerp", "KEYFOLD_animation_stream",
];

function look(readers, target) {
  for (const [pattern, read] of readers) {
    const match = pattern.exec(target);
    if (match) return Array.from(read(Number(match[1])));
  }
  throw new Error(`nothing reads ${target}`);
}
