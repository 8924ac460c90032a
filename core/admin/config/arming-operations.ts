import { Type, type OperationRegistry } from 'sluice/sdk'
import type { ConfigEditor } from '../../config/config-editor.ts'

/**
 * `POST /api/arming/set` (api.md 3.1) switches the sending of webhooks on or off. The change is stored as other changes of
 * the config are.
 */
export function addArmingOperations(operations: OperationRegistry, editor: Pick<ConfigEditor, 'modify'>): void {
  operations.add({
    method: 'POST',
    path: '/api/arming/set',
    summary: 'Set arm/disarm',
    body: Type.Object({ armed: Type.Boolean() }),
    reach: 'one',
    async handle({ body: { armed }, user }) {
      await editor.modify('global', { armed }, { by: user })
    },
  })
}
