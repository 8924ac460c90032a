import { fields, I, list, s, u } from '../checks.ts'
import { data, DONE, page, unknown, type Row } from '../row.ts'
import type { ApiWorld } from '../world.ts'

const ROLE = s
const USER = { username: s, expiresAt: I, role: ROLE }
const SHOWN_USER = { username: s, role: ROLE, createdAt: s }
const SHOWN_TOKEN = { id: u, name: s, role: ROLE, createdAt: s, usedAt: s, expiresAt: s }
const PASSWORD = 'a long pass phrase'

async function newUser(world: ApiWorld): Promise<string> {
  const username = world.newName('user')
  await world.post('/api/user/add', { username, password: PASSWORD })
  return username
}

async function newToken(world: ApiWorld): Promise<number> {
  const { body } = await world.post('/api/token/add', { name: world.newName('token') })
  return (body.data as { readonly id: number }).id
}

/** Login (api.md 2), where it is off; users and tokens (ours). */
export const LOGIN_ROWS: readonly Row[] = [
  {
    name: 'login',
    spellings: ['POST /api/auth/login'],
    ask: () => ({ body: { username: 'admin', password: 'anything' } }),
    answer: data(fields({ token: s, userInfo: fields(USER) })),
  },
  {
    name: 'logout',
    spellings: ['POST /api/auth/logout'],
    ask: () => ({ body: { token: 'any' } }),
    answer: DONE,
  },
  {
    name: 'current user',
    spellings: ['GET /api/auth/userinfo'],
    answer: data(fields(USER)),
  },
  {
    name: 'user list (ours)',
    spellings: ['GET /api/user/list'],
    answer: page(list(fields(SHOWN_USER))),
  },
  {
    name: 'add user (ours)',
    spellings: ['POST /api/user/add'],
    ask: (world) => ({ body: { username: world.newName('user'), password: PASSWORD, role: 'user' } }),
    answer: data(fields(SHOWN_USER)),
  },
  {
    name: 'update user (ours)',
    spellings: ['POST /api/user/update'],
    ask: async (world) => ({ body: { username: await newUser(world), role: 'admin' } }),
    answer: DONE,
    refusals: [unknown({ body: { username: 'nobody', role: 'user' } })],
  },
  {
    name: 'remove user (ours)',
    spellings: ['POST /api/user/remove'],
    ask: async (world) => ({ body: { username: await newUser(world) } }),
    answer: DONE,
    refusals: [unknown({ body: { username: 'nobody' } })],
  },
  {
    name: 'API token list (ours)',
    spellings: ['GET /api/token/list'],
    answer: page(list(fields(SHOWN_TOKEN))),
  },
  {
    name: 'add API token (ours)',
    spellings: ['POST /api/token/add'],
    ask: (world) => ({ body: { name: world.newName('token'), role: 'user', expires: '90d' } }),
    answer: data(fields({ ...SHOWN_TOKEN, token: s })),
  },
  {
    name: 'remove API token (ours)',
    spellings: ['POST /api/token/remove/{id}'],
    ask: async (world) => ({ params: { id: await newToken(world) } }),
    answer: DONE,
    refusals: [unknown({ params: { id: 4_000_000 } })],
  },
]
