import { expect } from 'chai'
import type { Recording, Recordings } from 'sluice/sdk'
import { createFakeHost, SCRIPTED_VIDEO, type FakeHost } from 'sluice/sdk/testing'
import { waitFor } from '../../../test/peers/wait-for.ts'
import mp4 from '../index.ts'

describe('parts of recordings', () => {
  let host: FakeHost<unknown>
  let openNow = 0
  let hold: Promise<void>
  let release: () => void

  beforeEach(async () => {
    ;({ promise: hold, resolve: release } = Promise.withResolvers<void>())
    const open: Recordings['open'] = async (_, signal) => {
      openNow += 1
      signal.addEventListener('abort', () => (openNow -= 1))
      await hold
      const recording: Recording = {
        tracks: [
          {
            ...SCRIPTED_VIDEO,
            id: 0,
          },
        ],
        durationMs: 1e3,
        next: () => undefined,
        seek: () => {},
      }
      return recording
    }
    host = await createFakeHost(mp4, { services: { recordings: { open } as Partial<Recordings> as Recordings } })
  })
  afterEach(() => host.dispose())

  const ask = (signal?: AbortSignal) =>
    fetch(`${host.http.origin}/mp4/extract/compressed/live/a?start=1500000000`, signal && { signal })

  it('are made two at a time; some wait, and more are refused', async () => {
    const leaving = new AbortController()
    const waiting = Array.from({ length: 17 }, () => ask())
    const left = ask(leaving.signal).catch(() => 'left')
    await waitFor(() => host.streams.plays.length === 18)
    const refused = await ask()
    expect([refused.status, refused.headers.get('retry-after')]).to.eql([503, '2'])
    expect(openNow).to.equal(2)
    leaving.abort()
    expect(await left).to.equal('left')
    release()
    const statuses = await Promise.all(
      waiting.map(async (answer) => {
        const { status } = await answer
        await (await answer).arrayBuffer()
        return status
      }),
    )
    expect(new Set(statuses)).to.eql(new Set([200]))
    await waitFor(() => openNow === 0 && host.streams.plays.every(({ closeReason }) => closeReason !== undefined))
    expect(host.log.problems).to.eql([])
  })
})
