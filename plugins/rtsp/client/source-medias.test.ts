import { expect } from 'chai'
import { parseSdp } from 'sluice/sdk/media'
import { sourceMedias } from './source-medias.ts'

/** The cases; a media is written as `video` or `audio sendonly`. */
const cases: { name: string; session?: string; medias: string[]; taken: number[] }[] = [
  { name: 'medias without a direction', medias: ['video', 'audio'], taken: [0, 1] },
  { name: 'a picture that the source says it sends (SAT>IP)', medias: ['video sendonly'], taken: [0] },
  { name: 'all that the source says it sends', medias: ['video sendonly', 'audio sendonly'], taken: [0, 1] },
  { name: 'the same of the session', session: 'a=sendonly\n', medias: ['video', 'audio'], taken: [0, 1] },
  { name: 'sound that the source says it sends', medias: ['video', 'audio sendonly'], taken: [0, 1] },
  {
    name: 'all but the loudspeaker beside a microphone (ONVIF)',
    medias: ['video', 'audio', 'audio sendonly'],
    taken: [0, 1],
  },
  {
    name: 'the same of a camera that says what its clients do',
    medias: ['video recvonly', 'audio recvonly', 'audio sendonly'],
    taken: [0, 1],
  },
  {
    name: 'all but the loudspeaker of a source that says what it does itself',
    medias: ['video sendonly', 'audio sendonly', 'audio recvonly'],
    taken: [0, 1],
  },
  {
    name: 'a direction of a media before that of the session',
    session: 'a=sendonly\n',
    medias: ['video recvonly', 'audio recvonly', 'audio'],
    taken: [0, 1],
  },
  { name: 'what goes both ways, or neither', medias: ['video sendrecv', 'audio inactive'], taken: [0, 1] },
  { name: 'medias of other kinds', medias: ['audio', 'application sendonly'], taken: [0, 1] },
]

describe('sourceMedias', () => {
  for (const { name, session = '', medias, taken } of cases) {
    it(`takes ${name}`, () => {
      const lines = medias.map((media) => {
        const [type = '', direction] = media.split(' ')
        return `m=${type} 0 RTP/AVP 96\n${direction === undefined ? '' : `a=${direction}\n`}`
      })
      const description = parseSdp(`v=0\n${session}${lines.join('')}`)
      expect(sourceMedias(description)).to.eql(taken.map((place) => description.media[place]))
    })
  }
})
