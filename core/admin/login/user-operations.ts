import { Type, type OperationRegistry } from 'sluice/sdk'
import type { Login } from '../../login/login.ts'
import { RoleSchema, timeText } from './login-schemas.ts'

const Username = Type.String({ description: 'Upper and lower case make no difference' })
const Password = Type.String({ description: '8 to 1024 bytes' })

const ShownUser = Type.Object({
  username: Type.String(),
  role: RoleSchema,
  createdAt: Type.String({ description: 'RFC 3339' }),
})

/** `/api/user/…`: the people who may log in. */
export function addUserOperations(operations: OperationRegistry, login: Login): void {
  const { users } = login

  operations.add({
    method: 'GET',
    path: '/api/user/list',
    summary: 'User list',
    answer: Type.Array(ShownUser),
    paged: true,
    access: 'admin',
    async handle() {
      const list = await users.list()
      return list.map(({ name, role, createdMs }) => ({ username: name, role, createdAt: timeText(createdMs) }))
    },
  })

  operations.add({
    method: 'POST',
    path: '/api/user/add',
    summary: 'Add user',
    body: Type.Object({
      username: Username,
      password: Password,
      role: Type.Optional(RoleSchema),
    }),
    answer: ShownUser,
    async handle({ body: { username, password, role = 'user' } }) {
      const { name, createdMs } = await users.add({ name: username, password, role })
      return { username: name, role, createdAt: timeText(createdMs) }
    },
  })

  operations.add({
    method: 'POST',
    path: '/api/user/update',
    summary: 'Change password or role of a user; a new password ends the sessions of the user',
    body: Type.Object({
      username: Username,
      password: Type.Optional(Password),
      role: Type.Optional(RoleSchema),
    }),
    async handle({ body: { username, password, role } }) {
      await users.update(username, { password, role }, login.isOn)
    },
  })

  operations.add({
    method: 'POST',
    path: '/api/user/remove',
    summary: 'Remove user, which ends the sessions of the user',
    body: Type.Object({ username: Username }),
    async handle({ body: { username } }) {
      await users.remove(username, login.isOn)
    },
  })
}
