import path from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { InvalidRequest } from '../errors/stream-errors.ts'
import { checkStoragePath, storageName } from './storage-path.ts'

describe('a path of the storage', () => {
  for (const [text, wanted] of [
    ['a/b.mp4', 'a/b.mp4'],
    ['./a//b/', 'a/b'],
    ['.', ''],
    ['Büro/日本', 'Büro/日本'],
  ] as const) {
    it(`${text} is ${wanted}`, () => expect(checkStoragePath(text)).to.equal(wanted))
  }

  for (const text of [
    '..',
    'a/../../b',
    '/etc/passwd',
    'C:\\x',
    'a\0b',
    'a\\b',
    'a/b:c',
    'a\nb',
    '...',
    'x'.repeat(300),
  ]) {
    it(`is not ${JSON.stringify(text.slice(0, 20))}`, () => {
      expect(() => checkStoragePath(text)).to.throw(InvalidRequest)
    })
  }

  it('never leads out of the root, whatever is asked for', () => {
    const part = fc.oneof(fc.string(), fc.constantFrom('..', '.', '', '/', '\\', '~', 'a'))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        let checked: string
        try {
          checked = checkStoragePath(parts.join('/'))
        } catch (error) {
          expect(error).to.be.instanceOf(InvalidRequest)
          return
        }
        expect(path.resolve('/root', checked)).to.match(/^\/root(?:\/|$)/u)
      }),
    )
  })

  it('is made of any text as one name, of a length that systems take', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 400 }), (text) => {
        const name = storageName(text)
        expect(checkStoragePath(name)).to.equal(name)
        expect(Buffer.byteLength(name)).to.be.within(1, 200)
      }),
    )
  })
})
