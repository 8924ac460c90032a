import { Type } from 'sluice/sdk'

export const DemoConfig = Type.Object({
  streampath: Type.String({
    default: 'live/demo',
    minLength: 1,
    description: 'Where the test picture is; a publisher that has this path already keeps it',
  }),
})
