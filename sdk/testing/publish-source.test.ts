import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { StreamDenied } from '../errors/stream-errors.ts'
import { playRecording } from '../playback/play-recording.ts'
import type { Recording } from '../playback/recording.ts'
import type { Publisher } from '../stream/publisher.ts'
import type { PullEnd } from '../stream/pull.ts'
import { publishSource } from '../stream/publish-source.ts'
import { createFakeHost, type FakeHost } from './fake-host.ts'
import { pullRequest } from './job-requests.ts'

const forever = () => Promise.withResolvers<never>().promise
/** One whose first unit never comes. */
const STILL: Recording = { tracks: [], durationMs: 1000, next: forever, seek: () => undefined }

describe('publishSource', () => {
  let host: FakeHost<unknown>
  let stop: AbortController

  beforeEach(async () => {
    host = await createFakeHost({ name: 'x', version: '1.0.0', setup: () => {} })
    stop = new AbortController()
  })
  afterEach(() => host.dispose())

  function pull(play: (publisher: Publisher) => Promise<unknown>, steps: string[] = []): Promise<PullEnd> {
    const request = pullRequest({
      streamPath: 'live/a',
      url: 'x://a',
      signal: stop.signal,
      options: { unlisted: true },
    })
    const step = (name: string) => void steps.push(name)
    return publishSource(host.streams, { ...request, step }, { timestampBits: 33 }, play)
  }

  const closeReason = () => host.streams.publishers[0]?.closeReason

  it('ends by the source, and says what it is about', async () => {
    const steps: string[] = []
    expect(await pull(async () => undefined, steps)).to.eql({ by: 'source' })
    expect(steps).to.eql(['publish'])
    expect(host.streams.publishers[0]?.options).to.eql({ unlisted: true, timestampBits: 33 })
    expect(closeReason()).to.equal('the pull has ended')
  })

  it('ends by the server, whatever the source does then', async () => {
    const reason = { code: 'stopped', text: 'stopped by an operator' } as const
    const afterwards: readonly (() => Promise<unknown>)[] = [
      forever,
      async () => undefined,
      () => Promise.reject(new Error('left')),
    ]
    for (const after of afterwards) {
      const ended = pull((publisher) => {
        publisher.close(reason)
        return after()
      })
      expect(await ended).to.eql({ by: 'server', reason })
    }
  })

  it('fails as the source does', async () => {
    expect(await pull(() => Promise.reject(new Error('no more'))).catch(String)).to.equal('Error: no more')
    expect(closeReason()).to.equal('the pull has ended')
  })

  it('fails where the path is refused', async () => {
    host.streams.publish = () => Promise.reject(new StreamDenied('by the test'))
    expect(await pull(forever).catch((error: unknown) => error)).to.be.instanceOf(StreamDenied)
  })

  it('is stopped by the signal while it plays', async () => {
    const ended = pull(() => {
      stop.abort(new Error('stopped'))
      return forever()
    })
    expect(await ended.catch(String)).to.equal('Error: stopped')
    expect(closeReason()).to.equal('the pull has ended')
  })

  it('is stopped by the signal while it is admitted, and plays nothing', async () => {
    const publish = host.streams.publish.bind(host.streams)
    host.streams.publish = async (init, options) => {
      const publisher = await publish(init, options)
      stop.abort(new Error('stopped'))
      return publisher
    }
    let played = false
    const ended = pull(() => {
      played = true
      return forever()
    })
    expect(await ended.catch(String)).to.equal('Error: stopped')
    expect(played).to.equal(false)
    expect(closeReason()).to.equal('the pull has ended')
  })
})

describe('playRecording', () => {
  for (const [code, told] of [
    ['timeout', 'idle'],
    ['kick', 'kick'],
  ] as const) {
    it(`tells that a paused recording ended by ${code} as ${told}`, async () => {
      const host = await createFakeHost({ name: 'x', version: '1.0.0', setup: () => {} })
      const ended = playRecording(host.streams, pullRequest({ streamPath: 'live/a', url: 'a.mp4' }), STILL)
      await turn()
      const [publisher] = host.streams.publishers
      await publisher?.options.control?.pause?.()
      publisher?.close({ code, text: 'closed by the test' })
      expect(await ended).to.eql({ by: 'server', reason: { code: told, text: 'closed by the test' } })
      await host.dispose()
    })
  }
})
