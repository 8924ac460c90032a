import { expect } from 'chai'
import { GlobalConfig } from 'sluice/sdk/host'
import { keyTitle } from './key-title.ts'
import { leavesOf, type GroupSchema } from './schema.ts'

/** A longer word of a title is several that are not known. */
const LONGEST_WORD = 'certificate'.length

describe('keyTitle', () => {
  for (const [key, title] of [
    ['listenaddrtls', 'Listen address TLS'],
    ['publishtimeout', 'Publish timeout'],
    ['publicipv6', 'Public IPv6'],
    ['pubaudio', 'Publish audio'],
    ['fail_policy', 'Fail policy'],
    ['timeout_ms', 'Timeout (ms)'],
    ['iframeonly', 'I-frame only'],
    ['url', 'URL'],
    ['constructor', 'Constructor'],
    ['myownkey', 'Myownkey'],
    ['on', 'On'],
    ['', ''],
  ] as const) {
    it(`is "${title}" of ${key}`, () => expect(keyTitle(key)).to.equal(title))
  }

  it('is of known words for the keys of `global`', () => {
    const titles = leavesOf(GlobalConfig as GroupSchema).map(({ path }) => keyTitle(path.split('.').at(-1) ?? ''))
    for (const word of titles.flatMap((title) => title.split(' '))) {
      expect(word.length, word).to.be.at.most(LONGEST_WORD)
    }
  })
})
