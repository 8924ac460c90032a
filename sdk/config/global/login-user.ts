import { Type, type Static } from 'typebox'

/** An entry of `global.admin.users`. */
export const LoginUser = Type.Object({
  username: Type.String({
    pattern: String.raw`^[\p{L}\p{N}][\p{L}\p{M}\p{N}._@+-]{0,63}$`,
    description: 'Name; upper and lower case make no difference',
  }),
  password: Type.String({
    format: 'password',
    writeOnly: true,
    minLength: 8,
    maxLength: 1024,
    description: 'Password, 8 to 1024 bytes',
  }),
  role: Type.Union([Type.Literal('user'), Type.Literal('admin')], {
    default: 'user',
    description: 'user may read, admin may change things, too',
  }),
})
export type LoginUser = Static<typeof LoginUser>
