import { expect } from 'chai'
import { checkAuthorization, parseAuthorization, type Account } from 'sluice/sdk/http'
import { loadDialogue } from './fixtures/dialogue.ts'
import { RtspReader } from './message/reader.ts'
import { isSameStream } from './signed-uri.ts'

const STREAM = 'rtsp://example.com/live/a'
const ACCOUNT: Account = { realm: 'sluice', username: 'user', password: 'p@ss', nonceKey: Buffer.alloc(32, 7) }

describe('isSameStream', () => {
  for (const uri of [STREAM, `${STREAM}/`, `${STREAM}/trackID=1`, `${STREAM}?s=1/trackID=1`, '/live/a']) {
    it(`takes the URL of the stream for ${uri}`, () => {
      expect(isSameStream(STREAM, uri)).to.equal(true)
    })
  }

  for (const uri of ['rtsp://example.com/live/b', '*']) {
    it(`does not take it for ${uri}`, () => {
      expect(isSameStream(STREAM, uri)).to.equal(false)
    })
  }

  for (const name of ['ffmpeg-digest', 'gstreamer-digest']) {
    it(`finds the password right in ${name}, and the nonce not of its own`, () => {
      const reader = new RtspReader()
      reader.push(loadDialogue(name).client)
      const methods: string[] = []
      for (let message = reader.read(); message !== null; message = reader.read()) {
        const header = message.kind === 'request' ? message.headers.get('Authorization') : undefined
        if (message.kind !== 'request' || header === undefined) continue
        const { method, uri } = message
        const request = { method, isFor: (signed: string) => isSameStream(signed, uri) }
        const resultFor = (account: Account) => checkAuthorization(parseAuthorization(header), request, account, 0)
        expect(resultFor(ACCOUNT)).to.equal('stale')
        expect(resultFor({ ...ACCOUNT, password: 'p%40ss' })).to.equal('denied')
        methods.push(method)
      }
      expect(methods.slice(0, 4)).to.deep.equal(['DESCRIBE', 'SETUP', 'SETUP', 'PLAY'])
    })
  }
})
