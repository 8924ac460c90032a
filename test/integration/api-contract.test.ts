import { expect } from 'chai'
import { requirePeer } from '../peers/require-peer.ts'
import { spellingsOf, type OpenApi } from '../support/api/openapi.ts'
import { API_ROWS } from '../support/api/rows/index.ts'
import type { Row } from '../support/api/row.ts'
import { askFor, walk, walkPending, walkRefusal } from '../support/api/walk.ts'
import { wrongRequests } from '../support/api/wrong-requests.ts'
import { ApiWorld } from '../support/api/world.ts'

/** A spelling without the names of its parameters. */
function shapeOf(spelling: string): string {
  return spelling.replaceAll(/\{\w+\}/gu, '{}')
}

/** The operations of api.md, asked at a real server by all their spellings. */
describe('the API, operation by operation', () => {
  let world: ApiWorld
  let document: OpenApi
  before(async function () {
    requirePeer(this, 'ffmpeg')
    world = await ApiWorld.start()
    document = (await world.server.api('/api/openapi.json')).body as unknown as OpenApi
  })

  for (const [group, rows] of Object.entries(API_ROWS)) {
    describe(group, () => {
      for (const row of rows) for (const spelling of row.spellings) addTests(row, spelling)
    })
  }

  function addTests(row: Row, spelling: string): void {
    if (row.pending) {
      it(`${spelling} is not there yet: ${row.name}`, () => walkPending(world, spelling))
      return
    }
    it(`${spelling}: ${row.name}`, () => walk(world, row, spelling))
    for (const refusal of row.refusals ?? []) {
      it(`${spelling} says ${refusal.status} where ${refusal.why}`, () => walkRefusal(world, refusal, spelling))
    }
    it(`${spelling} refuses what is of a wrong type, by its name`, async () => {
      const operation = spellingsOf(document).find(
        ({ method, path }) => shapeOf(`${method} ${path}`) === shapeOf(spelling),
      )
      if (operation === undefined) throw new Error('it is not in the description')
      for (const { field, ask } of wrongRequests(operation, (await row.ask?.(world)) ?? {})) {
        const { status, text } = await askFor(world, spelling, ask)
        const said = JSON.parse(text) as Readonly<Record<string, unknown>>
        const isProblem = 'application/problem+json' in (operation.operation.responses['default']?.content ?? {})
        expect(status, JSON.stringify(ask)).to.equal(400)
        if (!isProblem) expect(said).to.include({ code: 3 })
        expect(said[isProblem ? 'detail' : 'message'], JSON.stringify(ask)).to.include(field)
      }
    })
  }

  it('has a row for each', () => {
    const walked = new Set(
      Object.values(API_ROWS)
        .flat()
        .filter(({ pending }) => pending !== true)
        .flatMap(({ spellings }) => spellings.map(shapeOf)),
    )
    const all = spellingsOf(document).map(({ method, path }) => shapeOf(`${method} ${path}`))
    expect(all.filter((spelling) => !walked.has(spelling))).to.eql([])
  })

  after(() => expect(world?.records.filter(({ level }) => level === 'error' || level === 'fatal')).to.eql([]))
})
