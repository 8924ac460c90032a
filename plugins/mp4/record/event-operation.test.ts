import { expect } from 'chai'
import type { EventInit, RecordedEvent, Recordings } from 'sluice/sdk'
import { createFakeHost, type FakeHost } from 'sluice/sdk/testing'
import mp4 from '../index.ts'

describe('the operation that records an event', () => {
  let host: FakeHost<unknown>
  let asked: EventInit[]
  beforeEach(async () => {
    asked = []
    const startEvent = (init: EventInit) => {
      asked.push(init)
      return Promise.resolve({ id: asked.length } as RecordedEvent)
    }
    host = await createFakeHost(mp4, { services: { recordings: { startEvent } as unknown as Recordings } })
  })
  afterEach(() => host.dispose())

  async function start(body: object) {
    const response = await fetch(`${host.http.origin}/mp4/api/event/start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ streamPath: 'live/a', ...body }),
    })
    return { status: response.status, text: await response.text() }
  }

  for (const [given, ms] of [
    ['30s', 30_000],
    ['2', 2000],
    [2, 2000],
    ['1.5', 1500],
    [0.1 + 0.2, 300],
    [0, 0],
    ['1m30s', 90_000],
    ['', undefined],
    [undefined, undefined],
  ] as const) {
    it(`takes ${JSON.stringify(given)} for ${ms ?? 'the default'}`, async () => {
      const durations = { beforeDuration: given, afterDuration: given, fragment: given }
      expect((await start(durations)).status).to.equal(200)
      const { beforeMs, afterMs, fragmentMs } = asked[0]!
      expect([beforeMs, afterMs, fragmentMs]).to.eql([ms, ms, ms])
    })
  }

  for (const given of [-1, '-1', '-5s', '1e9', 'soon', '30 s', 9_999_999_999]) {
    it(`says of ${JSON.stringify(given)} that it is no duration, and takes the default`, async () => {
      for (const name of ['beforeDuration', 'afterDuration', 'fragment']) {
        expect((await start({ [name]: given })).status).to.equal(200)
        const { beforeMs, afterMs, fragmentMs } = asked.at(-1)!
        expect([beforeMs, afterMs, fragmentMs]).to.eql([undefined, undefined, undefined])
      }
      expect(asked).to.have.length(3)
    })
  }
})
