import { expect } from 'chai'
import { recordingLog } from './fixtures/recording-log.ts'
import { Session } from './session.ts'

function makeSession(onEnd: (() => void)[] = []) {
  const { log, messages } = recordingLog()
  return { session: new Session({ log, lifetimeMs: undefined, onEnd }), messages }
}

describe('Session', () => {
  it('tells its end once, with the first reason, to those who asked and then to those who admitted it', () => {
    const told: string[] = []
    const { session } = makeSession([() => told.push('end')])
    session.onClose((reason) => told.push(`one ${reason}`))
    session.onClose((reason) => told.push(`two ${reason}`))
    session.close('done')
    session.close('again')
    expect(told).to.deep.equal(['one done', 'two done', 'end'])
    expect([session.closed, session.closeReason]).to.deep.equal([true, 'done'])
  })

  it('tells who asks later at once', () => {
    const { session } = makeSession()
    session.close('done')
    let told = ''
    session.onClose((reason) => (told = reason))
    expect(told).to.equal('done')
  })

  it('goes on when a listener throws, and logs it', () => {
    let ended = 0
    const { session, messages } = makeSession([() => ended++])
    session.onClose(() => {
      throw new Error('no')
    })
    session.onClose(() => ended++)
    session.close('done')
    expect(ended).to.equal(2)
    expect(messages).to.deep.equal(['a close listener failed'])
  })

  it('may be closed by its own listener', () => {
    const { session } = makeSession()
    let told = 0
    session.onClose(() => {
      told++
      session.close('again')
    })
    session.close('done')
    expect(told).to.equal(1)
  })
})
