import { fields, I, s } from '../checks.ts'
import { data, DONE, type Row } from '../row.ts'

const USER = { username: s, expiresAt: I }

/** Login (api.md 2), where it is off. */
export const LOGIN_ROWS: readonly Row[] = [
  {
    name: 'login',
    pending: true,
    spellings: ['POST /api/auth/login'],
    ask: () => ({ body: { username: 'admin', password: 'anything' } }),
    answer: data(fields({ token: s, userInfo: fields(USER) })),
  },
  {
    name: 'logout',
    pending: true,
    spellings: ['POST /api/auth/logout'],
    ask: () => ({ body: { token: 'any' } }),
    answer: DONE,
  },
  {
    name: 'current user',
    pending: true,
    spellings: ['GET /api/auth/userinfo'],
    answer: data(fields(USER)),
  },
]
