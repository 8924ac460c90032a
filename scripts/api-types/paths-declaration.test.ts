import { expect } from 'chai'
import { Type } from 'sluice/sdk'
import { OperationRoutes } from 'sluice/sdk/host'
import { openApiDocument } from '../../core/admin/description/openapi.ts'
import { createApp } from '../../core/http/testing/ask-operations.ts'
import { declarationsOf, type ApiDocument } from './paths-declaration.ts'

describe('the types of operations', () => {
  /** The text of `Paths`. */
  async function pathsOf(add: (operations: OperationRoutes) => void, mounts: readonly string[] = []): Promise<string> {
    const app = createApp()
    const operations = new OperationRoutes({ targetOf: () => app })
    add(operations)
    const document = openApiDocument([{ mounts, operations }], '1.2.3') as ApiDocument
    await app.close()
    const text = declarationsOf(document)
    return text.slice(text.indexOf('export interface Paths'))
  }

  function handle(): void {}

  it('are those of what it takes and answers', async () => {
    const text = await pathsOf((operations) =>
      operations.add({
        method: 'POST',
        path: '/api/x/{id}',
        summary: 'Set x',
        params: Type.Object({ id: Type.String() }),
        query: Type.Object({ force: Type.Optional(Type.Boolean({ description: 'At once' })) }),
        body: Type.Object({ name: Type.String(), note: Type.Optional(Type.String()) }, { description: 'An x' }),
        answer: Type.Object({ count: Type.Integer() }),
        handle: () => ({ count: 1 }),
      }),
    )
    expect(text).to.equal(`export interface Paths {
  /** Set x */
  'POST /api/x/{id}': {
    params: { id: string }
    query: {
      /** At once */
      force?: boolean
    }
    /** An x */
    body: { name: string; note?: string }
    answer: Done & { data: { count: number } }
    event: never
  }
}
`)
  })

  const text = { answer: Type.String(), handle: () => '' }
  const kinds = [
    { what: 'nothing', init: { wire: 'empty', handle }, answer: 'undefined' },
    { what: 'no data', init: { handle }, answer: 'Done' },
    { what: 'text', init: { ...text, contentType: 'text/yaml; charset=utf-8' }, answer: 'string' },
    { what: 'bytes', init: { ...text, contentType: 'application/octet-stream' }, answer: 'Blob' },
    { what: 'JSON of its own', init: { ...text, wire: 'bare' }, answer: 'string' },
  ] as const
  for (const { what, init, answer } of kinds) {
    it(`are ${answer} where it answers ${what}`, async () => {
      const paths = await pathsOf((operations) =>
        operations.add({ method: 'POST', path: '/api/x', summary: 'X', ...init }),
      )
      expect(paths).to.include(`    answer: ${answer}\n`)
    })
  }

  it('are those of success where failures have the same status', async () => {
    const paths = await pathsOf((operations) =>
      operations.add({ method: 'POST', path: '/api/x', summary: 'X', errors: 'in-band', handle }),
    )
    expect(paths).to.include('answer: Done\n').and.include('{@link Failure}')
  })

  it('have the type of an event', async () => {
    const paths = await pathsOf((operations) =>
      operations.events({
        path: '/api/x/sse',
        summary: 'X, as it changes',
        event: Type.Object({ x: Type.Integer() }),
        read: () => ({ x: 1 }),
      }),
    )
    expect(paths).to.include('    answer: { x: number }\n    event: { x: number }\n')
  })

  it('of other spellings refer to the present one', async () => {
    const paths = await pathsOf(
      (operations) => operations.add({ method: 'POST', path: 'api/x', aliases: ['POST /api/a'], summary: 'X', handle }),
      ['m', 'n'],
    )
    expect(paths).to.include(`  /**
   * X
   * @deprecated An older spelling.
   */
  'POST /api/a': Paths['POST /m/api/x']
  /** X */
  'POST /m/api/x': {`)
    expect(paths).to.include(`  'POST /n/api/x': Paths['POST /m/api/x']\n`)
  })

  it('are written out once where they are long', async () => {
    const answer = Type.Object(
      Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, Type.String({ description: name })])),
    )
    const paths = await pathsOf((operations) => {
      for (const path of ['/api/y', '/api/x']) {
        operations.add({ method: 'GET', path, summary: `Get ${path}`, answer, handle: () => ({}) })
      }
    })
    expect(paths.match(/d\?: string|d: string/gu)).to.have.length(1)
    expect(paths).to.include(`    answer: Paths['GET /api/x']['answer']\n`)
  })
})
