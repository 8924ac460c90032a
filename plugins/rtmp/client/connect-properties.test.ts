import { expect } from 'chai'
import type { Track } from 'sluice/sdk'
import type { AmfValue } from 'sluice/sdk/media'
import { publisherProperties, untakenCodecs } from './connect-properties.ts'

const tracksOf = (...codecs: readonly string[]) => codecs.map((codec) => ({ codec }) as Track)
const TRACKS = tracksOf('h264', 'h265', 'av1', 'aac', 'opus')

describe('what a publisher says of its codecs', () => {
  it('is nothing for those that all servers know, and the names of the others', () => {
    expect(publisherProperties(tracksOf('h264', 'aac', 'mp3', 'pcma'))).to.eql({})
    expect(publisherProperties([...TRACKS, ...TRACKS])).to.eql({ fourCcList: ['hvc1', 'av01', 'Opus'] })
  })
})

describe('the codecs that a server does not take', () => {
  const cases: readonly (readonly [what: string, server: Record<string, AmfValue>, untaken: readonly string[]])[] = [
    ['says nothing', {}, []],
    ['has a list', { fourCcList: ['hvc1', 'Opus'] }, ['av1']],
    ['takes all', { fourCcList: ['*'] }, []],
    ['has maps', { videoFourCcInfoMap: { hvc1: 1, av01: 2 }, audioFourCcInfoMap: new Map([['Opus', 4]]) }, ['av1']],
    ['has a map of all', { videoFourCcInfoMap: { '*': 4 } }, []],
    ['says nonsense', { fourCcList: [1, null, {}], videoFourCcInfoMap: 'x' }, ['h265', 'av1', 'opus']],
  ]
  for (const [what, server, untaken] of cases) {
    it(`where it ${what}`, () => expect(untakenCodecs(TRACKS, server)).to.eql(untaken))
  }
})
