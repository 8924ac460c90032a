import { Type, type OperationRegistry } from 'sluice/sdk'

/** Changes `global.armed` while the server runs. */
export interface Arming {
  /** @param by the name of who asks */
  setArmed(armed: boolean, by: string): Promise<unknown>
}

/** `POST /api/arming/set` (api.md 3.1): have webhooks sent, or not. */
export function addArmingOperations(operations: OperationRegistry, arming: Arming): void {
  operations.add({
    method: 'POST',
    path: '/api/arming/set',
    summary: 'Set arm/disarm',
    body: Type.Object({ armed: Type.Boolean() }),
    reach: 'one',
    async handle({ body: { armed }, user }) {
      await arming.setArmed(armed, user)
    },
  })
}
