import { StreamNotFound, StreamPath, Type, type OperationRegistry } from 'sluice/sdk'
import type { Aliases } from './aliases.ts'

const AliasBody = Type.Object({
  streamPath: Type.Optional(
    Type.String({ description: 'The stream, and a query for its on-demand source; empty removes the alias' }),
  ),
  alias: StreamPath(),
  autoRemove: Type.Optional(Type.Boolean({ description: 'Remove it when the publisher of the stream ends' })),
})

const AliasEntry = Type.Object({
  streamPath: Type.String(),
  alias: Type.String(),
  autoRemove: Type.Boolean(),
  status: Type.Integer({ description: '0: the stream is absent, 1: it is live, 2: a real stream bears the name' }),
})

/** Adds `POST /api/stream/alias` and `GET /api/stream/alias/list` (api.md 3.1; spec.md, Alias request). */
export function addAliasOperations(operations: OperationRegistry, aliases: Aliases): void {
  const set = async (alias: string, streamPath: string, autoRemove: boolean) => {
    if (streamPath !== '') return aliases.set(alias, streamPath, autoRemove)
    if (!(await aliases.remove(alias))) throw new StreamNotFound(`there is no alias ${alias}`)
  }

  operations.add({
    method: 'POST',
    path: '/api/stream/alias',
    summary: 'Set stream alias',
    body: AliasBody,
    reach: 'one',
    handle: ({ body: { alias, streamPath = '', autoRemove = false } }) => set(alias, streamPath, autoRemove),
  })

  operations.add({
    method: 'POST',
    path: '/api/stream/alias/{streamPath}',
    summary: 'Set alias of a stream',
    params: Type.Object({ streamPath: StreamPath() }),
    body: Type.Omit(AliasBody, ['streamPath']),
    reach: 'one',
    handle: ({ params: { streamPath }, body: { alias, autoRemove = false } }) => set(alias, streamPath, autoRemove),
  })

  operations.add({
    method: 'GET',
    path: '/api/stream/alias/list',
    summary: 'Alias list',
    answer: Type.Array(AliasEntry),
    reach: 'one',
    // The answer leaves out the query of the target, which may hold secrets.
    handle: () =>
      aliases.list().map(({ streamPath, alias, autoRemove, status }) => ({ streamPath, alias, autoRemove, status })),
  })
}
