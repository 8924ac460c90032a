import { Int64, Type, type OperationRegistry } from 'sluice/sdk'
import { ANONYMOUS } from 'sluice/sdk/host'
import { requestClient } from 'sluice/sdk/http'
import { credentialOf } from '../../http/credential.ts'
import type { Guard } from '../../http/guard.ts'
import type { Login } from '../../login/login.ts'
import { RoleSchema } from './login-schemas.ts'

/** The token in the answer to a login while login is off: it is no credential, and none is needed. */
const NO_TOKEN = 'anonymous'
const DAY_S = 86_400

const UserInfo = Type.Object({
  username: Type.String({ description: '"token:" and its name for an API token' }),
  /** The end of the validity in Unix seconds; 0 when it never ends. */
  expiresAt: Int64(),
  role: RoleSchema,
})

/** `/api/auth/…` (api.md 2). */
export function addLoginOperations(operations: OperationRegistry, login: Login, guard: Pick<Guard, 'admit'>): void {
  const anonymous = () => {
    return { username: ANONYMOUS, expiresAt: Math.floor(Date.now() / 1000) + DAY_S, role: 'admin' as const }
  }

  operations.add({
    method: 'POST',
    path: '/api/auth/login',
    summary: 'Login',
    body: Type.Object({ username: Type.String(), password: Type.String() }),
    answer: Type.Object({ token: Type.String(), userInfo: UserInfo }),
    // Clients log in before they have a token.
    access: 'public',
    async handle({ body: { username, password }, request }) {
      if (!login.isOn) {
        await guard.admit(request, { access: 'user', changes: false })
        return { token: NO_TOKEN, userInfo: anonymous() }
      }
      const { name, token, expiresS, role } = await login.logIn(username, password, requestClient(request).ip)
      return { token, userInfo: { username: name, expiresAt: expiresS, role } }
    },
  })

  operations.add({
    method: 'POST',
    path: '/api/auth/logout',
    summary: 'Logout: the token, and those that followed it, are no longer valid',
    body: Type.Object({ token: Type.String({ default: '', description: "The request's own unless given" }) }),
    access: 'user',
    async handle({ body, request }) {
      const token = body.token === '' ? credentialOf(request) : body.token
      if (login.isOn && token !== undefined) await login.logOut(token)
    },
  })

  operations.add({
    method: 'GET',
    path: '/api/auth/userinfo',
    summary: 'Current user',
    query: Type.Object({ token: Type.Optional(Type.String({ description: "The request's own unless given" })) }),
    answer: UserInfo,
    async handle({ query, request }) {
      const token = query.token ?? credentialOf(request)
      if (!login.isOn || token === undefined) return anonymous()
      const { name, expiresS, role } = await login.identify(token)
      return { username: name, expiresAt: expiresS, role }
    },
  })
}
