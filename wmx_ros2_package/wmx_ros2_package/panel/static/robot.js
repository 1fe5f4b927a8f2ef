// Moves the joints of the drawn robot as the axes are.

let robot = null, scene = null;

// NiceGUI draws it in the colour of the light.
function showBackground() {
  const color = document.body.classList.contains("body--dark") ? "#1d2430" : "#e5e7eb";
  const ground = scene.scene?.children.find((each) => each.object_id === "ground");
  if (!scene.renderer || !ground || ground.shownColor === color) return;
  ground.shownColor = color;
  ground.material.color.set(color);
  scene.renderer.setClearColor(color);
}

function turn(frame) {
  scene = getElement(robot.scene) ?? scene;
  if (!scene?.objects || !frame.position) return;
  showBackground();
  for (const joint of robot.joints) {
    const mesh = scene.objects.get(joint.object)?.mesh;
    if (!mesh) continue;
    const [x, y, z] = joint.axis, value = frame.position[joint.number] * joint.factor;
    const length = Math.hypot(x, y, z) || 1;
    if (joint.kind === "prismatic")
      mesh.position.set((x / length) * value, (y / length) * value, (z / length) * value);
    else
      mesh.quaternion.setFromAxisAngle({ x: x / length, y: y / length, z: z / length }, value);
  }
}

// NiceGUI goes on drawing a scene whose page was left, which takes half a processor without a GPU.
function leave() {
  if (!scene?.renderer) return;
  for (const each of [scene.renderer, scene.text_renderer, scene.text3d_renderer]) each.render = () => {};
  scene.renderer.dispose();
  scene.renderer.forceContextLoss();
  scene = null;
}

window.wmxRobot = {
  start(options) { robot = options; window.wmx.onFrame(turn); window.wmx.onLeave(leave); },
  scene: () => robot?.scene,
};
