import { expect } from 'chai'

/** The page's script exports it; it is JavaScript, for browsers. */
type Notices = {
  readonly noticeOf: (
    state: string,
    about: { readonly name: string; readonly detail?: string | number; readonly isPublished?: boolean },
  ) => readonly string[]
}

const script = new URL('./notices.js', import.meta.url).href
const { noticeOf } = (await import(script)) as Notices

describe('notices on the home page', () => {
  const waiting = (isPublished?: boolean) =>
    noticeOf('waiting', { name: 'live/a', ...(isPublished !== undefined && { isPublished }) }).join(' ')

  it('say that nobody publishes a stream only where the list has it not', () => {
    expect(waiting(false)).to.include('Nobody publishes it yet')
    expect(waiting(true)).to.include('It is published').and.not.include('Nobody')
    expect(waiting())
      .to.include('No picture has come yet')
      .and.not.match(/Nobody|It is published/u)
  })

  it('are there for every state but that of playing', () => {
    for (const state of ['connecting', 'waiting', 'stalled', 'ended', 'offline', 'denied', 'unsupported']) {
      expect(noticeOf(state, { name: 'live/a', detail: 401 })[0], state).to.match(/live\/a/u)
    }
    expect(noticeOf('playing', { name: 'live/a' })).to.eql([])
    expect(noticeOf('offline', { name: 'live/a' })[0]).to.equal('The server does not answer')
  })
})
