import { expect } from 'chai'
import { InvalidRequest } from 'sluice/sdk'
import { checkPlaceholders, filePathOf } from './file-name.ts'

const TERMS = { type: 'mp4', streamPath: 'live/cam 1', startMs: new Date(2026, 10, 26, 7, 5, 9).getTime() }

describe('the name of a file', () => {
  for (const [folder, name, wanted] of [
    ['{stream}', '{date}-{time}', 'live/cam 1/2026-11-26-07-05-09'],
    ['{type}/{date}', '{stream}', 'mp4/2026-11-26/live_cam 1'],
    ['./a/{STREAM}', 'x', 'a/live/cam 1/x'],
    ['a', '../{stream}', 'a/.._live_cam 1'],
    ['a', 'what:is/this?', 'a/what_is_this_'],
  ] as const) {
    it(`of ${folder} and ${name} is ${wanted}`, () => expect(filePathOf(folder, name, TERMS)).to.equal(wanted))
  }

  it('leads out of the storage by no folder', () => {
    for (const folder of ['..', '../{stream}', '/abs', 'a/../..']) {
      expect(() => filePathOf(folder, 'x', TERMS), folder).to.throw(InvalidRequest)
    }
  })

  it('takes what a stream is called as it is, but for what no file can be called', () => {
    const streamPath = 'live/<a>|"b"/c:d'
    expect(filePathOf('{stream}', 'x', { ...TERMS, streamPath })).to.equal('live/_a___b_/c_d/x')
  })

  it('has no other placeholders', () => {
    expect(() => checkPlaceholders('{stream}-{year}')).to.throw(InvalidRequest, '{year}')
    checkPlaceholders('{stream}{type}{date}{time}')
  })
})
