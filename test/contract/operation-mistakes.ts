import { expect } from 'chai'
import { StreamPath, Type } from 'sluice/sdk'
import type { Context, StartContractHost } from './contract-host.ts'

const STREAM = Type.Object({ streamPath: StreamPath() })

export function describeOperationMistakes(start: StartContractHost): void {
  describe('operations', () => {
    const handle = () => undefined
    const mistakes: readonly (readonly [what: string, add: (context: Context) => void, why: RegExp])[] = [
      ['no summary', ({ operations }) => operations.add({ method: 'GET', path: 'a', summary: '', handle }), /summary/u],
      [
        'a path that is none',
        ({ operations }) => operations.add({ method: 'GET', path: 'a?b', summary: 'A', handle }),
        /'GET a\?b'/u,
      ],
      [
        'a method that is none',
        ({ operations }) => operations.add({ method: 'GET', path: 'a', aliases: ['HEAD a'], summary: 'A', handle }),
        /'HEAD a'/u,
      ],
      [
        'an unknown parameter',
        ({ operations }) => operations.add({ method: 'GET', path: 'a/{id}', summary: 'A', handle }),
        /'id'/u,
      ],
      [
        'a parameter too few',
        ({ operations }) => operations.add({ method: 'GET', path: 'a', summary: 'A', params: STREAM, handle }),
        /'streamPath'/u,
      ],
      [
        'a body of a GET',
        ({ operations }) => operations.add({ method: 'GET', path: 'a', summary: 'A', body: STREAM, handle }),
        /no body/u,
      ],
      [
        'pages of no list',
        ({ operations }) => operations.add({ method: 'GET', path: 'a', summary: 'A', paged: true, handle }),
        /paged/u,
      ],
      [
        'fields of no object',
        ({ operations }) => operations.add({ method: 'GET', path: 'a', summary: 'A', wire: 'fields', handle }),
        /object/u,
      ],
      [
        'the reach of a field that is none',
        ({ operations }) =>
          operations.add({ method: 'GET', path: 'a', summary: 'A', reach: { session: 'id' }, handle }),
        /'id'/u,
      ],
      [
        'answers that nobody joins',
        ({ operations }) =>
          operations.add({
            method: 'GET',
            path: 'a',
            summary: 'A',
            answer: Type.Object({}),
            reach: 'all',
            handle: () => ({}),
          }),
        /all/u,
      ],
      [
        'a spelling twice',
        ({ operations }) =>
          operations.add({
            method: 'GET',
            path: 'a/{id}',
            aliases: ['a/{id}'],
            summary: 'A',
            params: Type.Object({ id: Type.String() }),
            handle,
          }),
        /already/u,
      ],
    ]
    for (const [what, add, why] of mistakes) {
      it(`are refused with ${what}`, async () => {
        let error: unknown
        await start((ctx) => {
          try {
            add(ctx)
          } catch (thrown) {
            error = thrown
          }
        })
        expect(error).to.be.an('error').with.property('message').that.matches(why)
      })
    }
  })
}
