import { expect } from 'chai'
import type { TrackInit } from 'sluice/sdk'
import { LogRecords, SCRIPTED_VIDEO } from 'sluice/sdk/testing'
import { askOperations } from '../../http/testing/ask-operations.ts'
import { unitOf, videoTrack } from '../../stream/fixtures/media.ts'
import { closeRigs, RegistryRig } from '../../stream/fixtures/registry-rig.ts'
import { addTrackOperations } from './track-operations.ts'

describe('/api/stream/annexb', () => {
  afterEach(closeRigs)

  const cases: readonly (readonly [
    what: string,
    track: TrackInit,
    keyframe: boolean,
    status: number,
    message: RegExp,
  ])[] = [
    ['a codec without byte stream form', { ...videoTrack(), codec: 'vp8' }, true, 501, /^vp8 has no byte stream form/u],
    ['a stream before its first keyframe', SCRIPTED_VIDEO, false, 503, /^no keyframe has come yet/u],
    ['a unit that is none', SCRIPTED_VIDEO, true, 503, /^the keyframe is malformed$/u],
    ['a configuration that is none', videoTrack(), true, 503, /^the keyframe is malformed$/u],
  ]
  for (const [what, init, keyframe, status, message] of cases) {
    it(`answers ${what} with ${status}`, async () => {
      const rig = new RegistryRig()
      const log = new LogRecords('core')
      const publisher = await rig.publish('live/a')
      publisher.write(unitOf(publisher.addTrack(init), 0, 'no NAL units', keyframe))
      const [answer] = await askOperations(
        log,
        (operations) => addTrackOperations(operations, rig.registry, log.logger),
        [{ url: '/api/stream/annexb/live/a' }],
      )
      expect(answer?.statusCode).to.equal(status)
      expect((JSON.parse(answer?.body ?? '') as { message: string }).message).to.match(message)
      expect(log.problems).to.eql([])
    })
  }
})
