import { Type, type OperationRegistry } from 'sluice/sdk'
import type { ApiToken, ApiTokens } from '../../login/api-tokens.ts'
import { parseLifetime } from '../../login/lifetime.ts'
import { RoleSchema, timeText } from './login-schemas.ts'

const SHOWN_TOKEN = {
  id: Type.Integer(),
  name: Type.String(),
  role: RoleSchema,
  createdAt: Type.String({ description: 'RFC 3339' }),
  usedAt: Type.String({ description: 'RFC 3339, to within ten minutes; empty before the first use' }),
  expiresAt: Type.String({ description: 'RFC 3339; empty is never' }),
}

/** `/api/token/…`: the tokens of programs. */
export function addTokenOperations(operations: OperationRegistry, tokens: ApiTokens): void {
  operations.add({
    method: 'GET',
    path: '/api/token/list',
    summary: 'API token list, without the tokens themselves',
    answer: Type.Array(Type.Object(SHOWN_TOKEN)),
    paged: true,
    access: 'admin',
    handle: async () => (await tokens.list()).map(shown),
  })

  operations.add({
    method: 'POST',
    path: '/api/token/add',
    summary: 'Add API token, which is shown in this answer and never again',
    body: Type.Object({
      name: Type.String({ description: 'What uses it' }),
      role: Type.Optional(RoleSchema),
      expires: Type.Optional(Type.String({ description: 'After this time, such as 90d or 12h; never unless given' })),
    }),
    answer: Type.Object({ ...SHOWN_TOKEN, token: Type.String() }),
    async handle({ body: { name, role = 'user', expires } }) {
      const lifetimeMs = expires === undefined ? undefined : parseLifetime(expires)
      const { token, ...added } = await tokens.add({ name, role, lifetimeMs })
      return { ...shown(added), token }
    },
  })

  operations.add({
    method: 'POST',
    path: '/api/token/remove/{id}',
    summary: 'Remove API token',
    params: Type.Object({ id: Type.Integer() }),
    handle: ({ params: { id } }) => tokens.remove(id),
  })
}

function shown({ id, name, role, createdMs, usedMs, expiresMs }: ApiToken) {
  return {
    id,
    name,
    role,
    createdAt: timeText(createdMs),
    usedAt: timeText(usedMs),
    expiresAt: timeText(expiresMs),
  }
}
