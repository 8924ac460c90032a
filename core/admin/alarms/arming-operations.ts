import { Type, type OperationRegistry } from 'sluice/sdk'

/** Changes `global.armed` while the server runs. */
export interface Arming {
  setArmed(armed: boolean): Promise<void>
}

/** `POST /api/arming/set` (api.md 3.1): have webhooks sent, or not. */
export function addArmingOperations(operations: OperationRegistry, arming: Arming): void {
  operations.add({
    method: 'POST',
    path: '/api/arming/set',
    summary: 'Set arm/disarm',
    body: Type.Object({ armed: Type.Boolean() }),
    reach: 'one',
    handle: ({ body: { armed } }) => arming.setArmed(armed),
  })
}
