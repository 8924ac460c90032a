import { expect } from 'chai'
import fc from 'fast-check'
import { InvalidRequest } from 'sluice/sdk'
import { FakeFiles } from 'sluice/sdk/testing'
import { rounds } from '../../../test/support/soak.ts'
import { keepsPicture, paramsOf, readGranularity, readPictureQuery, readSnapTime } from './picture-query.ts'

describe('the query of a picture', () => {
  it('has defaults, and may be written in two ways', () => {
    const watermark = {
      text: '',
      fontPath: '',
      fontColor: 'rgba(255,165,0,1)',
      fontSize: 36,
      fontSpacing: 2,
      offsetX: 0,
      offsetY: 0,
    }
    expect(readPictureQuery(paramsOf('/live/a'))).to.eql({ watermark, savePath: undefined, isUrl: false })
    const written = readPictureQuery(
      paramsOf('/live/a?font_size=12.5&offsetX=3&offset_y=4&save_path=a/b&is_url=1&watermark=x'),
    )
    const changed = { ...watermark, text: 'x', fontSize: 12.5, offsetX: 3, offsetY: 4 }
    expect(written).to.eql({ watermark: changed, savePath: 'a/b', isUrl: true })
  })

  it('has times in seconds', () => {
    expect(readSnapTime({ snapTime: '1795391283' })).to.equal(1_795_391_283_000)
    expect(readSnapTime({ snapTime: '1.5' })).to.equal(1500)
    expect(readGranularity({})).to.equal(0)
    expect(readGranularity({ granularity: '10' })).to.equal(10_000)
    for (const granularity of ['-1', '1.5', 'x', '86401'])
      expect(() => readGranularity({ granularity })).to.throw(InvalidRequest)
  })

  const word = fc.constantFrom(
    'savePath',
    'save_path',
    '%73avePath',
    'isUrl',
    'watermark',
    'fontSize',
    '=',
    '&',
    '%',
    '..',
    '/',
    '%00',
    '%2e%2e%2f',
    '1',
    'ü',
    '__proto__',
  )
  it('is understood or refused, whatever it is, and names a folder below the storage or none', async () => {
    const files = new FakeFiles()
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(word, fc.string({ maxLength: 3 })), { maxLength: 12 }), async (words) => {
        const params = paramsOf(`/live/a?${words.join('')}`)
        try {
          const { savePath } = readPictureQuery(params)
          expect(savePath !== undefined).to.equal(keepsPicture(params))
          if (savePath === undefined) return
          const read = await files.read(`${savePath}/x`).catch((error: unknown) => error)
          expect(read).to.have.property('code', 'ENOENT')
        } catch (error) {
          if (!(error instanceof InvalidRequest)) throw error
        }
      }),
      { numRuns: rounds(2000) },
    )
  })
})
