import type { ProgramCommand } from 'sluice/sdk'

/** `sluice gb-device`: devices of GB/T 28181, to test a platform with. */
export default {
  summary: 'devices of GB/T 28181 (cameras, recorders) to test a platform with',
  run: async (args) => (await import('../device/command/run-devices.ts')).runDevices(args),
} satisfies ProgramCommand
