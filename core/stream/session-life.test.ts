import { expect } from 'chai'
import { CLIENT_LEFT, type CloseReason } from 'sluice/sdk'
import { recordingLog } from './fixtures/recording-log.ts'
import { SessionMeters } from './session-meters.ts'
import { SessionLife } from './session-life.ts'

const DONE: CloseReason = { code: 'closed', text: 'done' }

const meter = new SessionMeters().of('rtmp', 'play')

function makeSession(onEnd: (() => void)[] = [], undo = () => {}) {
  const { log, messages } = recordingLog()
  const session = new SessionLife({ log, meter, lifetimeMs: undefined, onEnd, undo })
  session.begin()
  return { session, messages }
}

describe('SessionLife', () => {
  it('tells its end once, with the first reason, to those who asked and then to those who admitted it', () => {
    const told: string[] = []
    const { session } = makeSession([() => told.push('end')], () => told.push('undo'))
    session.onClose(({ text }) => told.push(`one ${text}`))
    session.onClose(({ text }) => told.push(`two ${text}`))
    session.close(DONE)
    session.close(CLIENT_LEFT)
    expect(told).to.deep.equal(['one done', 'two done', 'end', 'undo'])
    expect([session.closed, session.closeReason]).to.deep.equal([true, DONE])
  })

  it('that never began is undone, and tells its end to those who asked, not to the gates', () => {
    const told: string[] = []
    const { log } = recordingLog()
    const onEnd = [() => told.push('end')]
    const session = new SessionLife({ log, meter, lifetimeMs: undefined, onEnd, undo: () => told.push('undo') })
    session.onClose(({ text }) => told.push(text))
    session.close(DONE)
    expect(told).to.deep.equal(['done', 'undo'])
  })

  it('tells who asks later at once', () => {
    const { session } = makeSession()
    session.close(DONE)
    let told: CloseReason | undefined
    session.onClose((reason) => (told = reason))
    expect(told).to.equal(DONE)
  })

  it('goes on when a listener throws, and logs it', () => {
    let ended = 0
    const { session, messages } = makeSession([() => ended++])
    session.onClose(() => {
      throw new Error('no')
    })
    session.onClose(() => ended++)
    session.close(DONE)
    expect(ended).to.equal(2)
    expect(messages).to.deep.equal(['a close listener failed'])
  })

  it('may be closed by its own listener', () => {
    const { session } = makeSession()
    let told = 0
    session.onClose(() => {
      told++
      session.close(CLIENT_LEFT)
    })
    session.close(DONE)
    expect(told).to.equal(1)
  })
})
