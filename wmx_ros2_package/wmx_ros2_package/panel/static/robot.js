// Moves the joints of the drawn robot as the axes are.

let robot = null;

function turn(frame) {
  const scene = robot && getElement(robot.scene);
  if (!scene?.objects || !frame.position) return;
  for (const joint of robot.joints) {
    const mesh = scene.objects.get(joint.object)?.mesh;
    if (!mesh) continue;
    const [x, y, z] = joint.axis, value = frame.position[joint.number];
    const length = Math.hypot(x, y, z) || 1;
    if (joint.kind === "prismatic")
      mesh.position.set((x / length) * value, (y / length) * value, (z / length) * value);
    else
      mesh.quaternion.setFromAxisAngle({ x: x / length, y: y / length, z: z / length }, value);
  }
}

window.wmxRobot = {
  start(options) { robot = options; window.wmx.onFrame(turn); },
  scene: () => robot.scene,
};
