// Keyfold in react-three-fiber with drei: `useGLTF`'s fourth argument gets the loader.

import { useEffect } from "react";
import { createRoot } from "react-dom/client";
import { Canvas, useThree } from "@react-three/fiber";
import { useAnimations, useGLTF } from "@react-three/drei";
import { KeyfoldPlugin } from "keyfold/three";

const withKeyfold = (loader) => loader.register((parser) => new KeyfoldPlugin(parser));

function Model({ file, time }) {
  const { scene, animations } = useGLTF(file, false, true, withKeyfold);
  const { actions, names, mixer } = useAnimations(animations, scene);
  const invalidate = useThree((state) => state.invalidate);
  useEffect(() => {
    actions[names[0]].play();
    // A picture of one moment; leave these two lines out to play.
    mixer.setTime(time);
    mixer.timeScale = 0;
    invalidate();
    setTimeout(() => (document.body.dataset.ready = "yes"), 500);
  }, [actions, names, mixer, time, invalidate]);
  return <primitive object={scene} />;
}

const query = new URLSearchParams(location.search);
createRoot(document.getElementById("root")).render(
  <Canvas
    frameloop="demand"
    camera={{ position: [1.6, 1.5, 2.8], fov: 40 }}
    onCreated={({ camera }) => camera.lookAt(0, 0.9, 0)}
  >
    <color attach="background" args={["white"]} />
    <hemisphereLight args={[0xffffff, 0x888888, 3]} />
    <Model file={query.get("file")} time={Number(query.get("time") ?? 0.4)} />
  </Canvas>,
);
