import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { InvalidRequest } from '../../errors/stream-errors.ts'
import type { SourceControl } from '../../stream/source-control.ts'
import { ViewerControl } from './viewer-control.ts'

const PAUSE = Buffer.from('636d6401', 'hex')
const RESUME = Buffer.from('636d6402', 'hex')
const withNumber = (opcode: number, number: number) =>
  Buffer.from([0x63, 0x6d, 0x64, opcode, 0, 0, number >> 8, number & 0xff])
const seek = (seconds: number) => withNumber(3, seconds)
const speed = (hundredths: number) => withNumber(4, hundredths)
const scale = (hundredths: number) => withNumber(5, hundredths)

describe('the control of a viewer', () => {
  let told: string[]
  let logged: { readonly level: number; readonly msg: string }[]
  beforeEach(() => {
    told = []
    logged = []
  })

  function controlOf(control: SourceControl | undefined): (...frames: Buffer[]) => Promise<void> {
    const write = (line: string) => void logged.push(JSON.parse(line) as (typeof logged)[number])
    const viewer = new ViewerControl({ control }, pino({ level: 'info' }, { write }))
    return async (...frames) => {
      for (const frame of frames) viewer.receive(frame)
      await turn()
    }
  }

  const note = (text: string) => void told.push(text)
  const all: SourceControl = {
    pause: () => note('pause'),
    resume: () => note('resume'),
    seek: (ms) => note(`seek ${ms}`),
    setSpeed: (value) => note(`speed ${value}`),
  }

  it('tells the source what each frame says', async () => {
    const receive = controlOf(all)
    for (const frame of [PAUSE, RESUME, seek(40), speed(150), scale(25)]) await receive(frame)
    expect(told).to.eql(['pause', 'resume', 'seek 40000', 'speed 1.5', 'speed 0.25'])
  })

  it('leaves undone what the source can not do, and what is no frame', async () => {
    await controlOf({ pause: () => note('pause') })(RESUME, seek(1), speed(100), Buffer.from('hello'), PAUSE)
    await controlOf(undefined)(PAUSE)
    expect(told).to.eql(['pause'])
    expect(logged).to.eql([])
  })

  it('has one command under way, and the latest of each kind wait for it', async () => {
    let done = () => {}
    const seekSlowly = (ms: number) => {
      note(`seek ${ms}`)
      return new Promise<void>((resolve) => (done = resolve))
    }
    const receive = controlOf({ ...all, seek: seekSlowly })
    await receive(seek(1))
    for (let second = 2; second < 100; second++) await receive(speed(second), seek(second), PAUSE, RESUME)
    await receive(PAUSE, seek(7))
    expect(told).to.eql(['seek 1000'])
    done()
    await turn()
    expect(told).to.eql(['seek 1000', 'speed 0.99', 'pause', 'seek 7000'])
    done()
    await receive(RESUME)
    expect(told.slice(4)).to.eql(['resume'])
  })

  it('goes on after what the source refuses, or fails in', async () => {
    const receive = controlOf({
      ...all,
      seek: () => Promise.reject(new InvalidRequest('not there')),
      setSpeed: () => {
        throw new TypeError('a mistake')
      },
    })
    await receive(seek(1))
    expect(logged).to.eql([])
    await receive(speed(100))
    await receive(PAUSE)
    expect(told).to.eql(['pause'])
    expect(logged.map(({ level, msg }) => [level, msg])).to.eql([[50, 'a control frame failed']])
  })
})
