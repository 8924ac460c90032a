import { expect } from 'chai'
import fc from 'fast-check'
import { FakeFiles } from 'sluice/sdk/testing'
import { pictureName } from './file-name.ts'

const AT_MS = Date.UTC(2026, 0, 2, 15, 4, 5, 7)

describe('the name of a picture', () => {
  it('has the stream and the time in UTC', () => {
    expect(pictureName('live/cam 1', AT_MS)).to.equal('live_cam 1_20260102150405.007')
  })

  it('is a name of one file, whatever the stream is called', async () => {
    const files = new FakeFiles()
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 600 }), async (streamPath) => {
        const name = `${pictureName(streamPath, AT_MS)}-100.jpg`
        // No file can be called so where it is refused in another way.
        expect(await files.read(name).catch((error: unknown) => error)).to.have.property('code', 'ENOENT')
        expect(name).to.not.include('/')
      }),
    )
  })
})
