import { expect } from 'chai'
import type { MuxerFormat } from '../media/muxer.ts'
import { PipedProgram, type PipedProgramInit } from '../program/piped-program.ts'
import { runProgram } from '../program/run-program.ts'
import type { CloseCode } from '../stream/close-reason.ts'
import { createFakeHost, type FakeHost } from './fake-host.ts'
import { FakeProcesses } from './fake-processes.ts'
import { sessionInit } from './fake-streams.ts'
import type { FakeSubscriber } from './fake-subscriber.ts'
import { ScriptedPublisher } from './scripted-publisher.ts'

/** Each unit as a line. */
const LINES: MuxerFormat = {
  name: 'lines',
  createMuxer: () => ({
    start: () => Buffer.from('start\n'),
    configure: () => null,
    mux: ({ dts }) => Buffer.from(`${dts}\n`),
  }),
}

describe('a program of a plugin', function () {
  let processes: FakeProcesses
  let output: string

  before(function () {
    if (process.platform === 'win32') this.skip()
  })
  beforeEach(() => {
    processes = new FakeProcesses()
    output = ''
  })
  afterEach(() => processes.dispose())

  const sh = (script: string) => ({ command: '/bin/sh', args: ['-c', script], owner: 'live/a' })

  function begin(script: string, more: Partial<PipedProgramInit> = {}): Promise<PipedProgram> {
    return PipedProgram.begin(processes, { ...sh(script), output: (bytes) => void (output += bytes), ...more })
  }

  describe('PipedProgram', () => {
    it('gives all that comes out before it is over, and says that its input was', async () => {
      const program = await begin('cat')
      program.stdin.write('one ')
      program.stdin.end('two')
      expect(await program.done).to.eql({ by: 'input', code: 0, signal: null })
      expect(output).to.equal('one two')
    })

    it('says that the program ended by itself', async () => {
      const program = await begin('echo bye; exit 3')
      expect(await program.done).to.eql({ by: 'program', code: 3, signal: null })
      expect(output).to.equal('bye\n')
    })

    it('is ended by close and by the signal', async () => {
      const stop = new AbortController()
      const byClose = await begin('cat')
      const bySignal = await begin('cat', { signal: stop.signal })
      byClose.close()
      stop.abort()
      for (const { done } of [byClose, bySignal]) expect(await done).to.include({ by: 'server', code: null })
    })

    it('ends a program whose output is not taken, and says why', async () => {
      const error = new Error('no MPEG-TS')
      const program = await begin('while echo more; do :; done', { output: () => Promise.reject(error) })
      expect(await program.done).to.include({ by: 'output', error })
    })

    it('takes one piece of output after the other', async () => {
      let atWork = 0
      let most = 0
      const program = await begin('cat', {
        async output(bytes) {
          most = Math.max(most, (atWork += 1))
          await new Promise(setImmediate)
          atWork -= 1
          output += bytes
        },
      })
      program.stdin.end('x'.repeat(300_000))
      await program.done
      expect([most, output.length]).to.eql([1, 300_000])
    })

    it('takes several outputs, and waits for all of them', async () => {
      const rungs = ['', '']
      const outputs = rungs.map((_, index) => (bytes: Buffer) => void (rungs[index] += bytes.toString()))
      const program = await begin('read -r in; printf %s $in; printf 3%s $in >&3; printf 4%s $in >&4', { outputs })
      program.stdin.end('rung\n')
      expect(await program.done).to.include({ by: 'input', code: 0 })
      expect([output, ...rungs]).to.eql(['rung', '3rung', '4rung'])
    })

    it('ends a program one of whose outputs is not taken', async () => {
      const error = new Error('no MPEG-TS')
      const outputs = [() => Promise.reject(error)]
      const program = await begin('while echo more >&3; do :; done', { outputs })
      expect(await program.done).to.include({ by: 'output', error })
    })

    it('fails where there is no such program', async () => {
      const init = { command: '/no/such', args: [], owner: '', output: () => {} }
      const failure = await PipedProgram.begin(processes, init).catch((error: unknown) => error)
      expect(failure).to.have.property('code', 'NO_PROGRAM')
    })

    describe('that is fed by a subscriber', () => {
      let host: FakeHost<unknown>
      let source: ScriptedPublisher
      let subscriber: FakeSubscriber

      beforeEach(async () => {
        host = await createFakeHost({ name: 'x', version: '1.0.0', setup: () => {} })
        const publisher = await host.streams.publish(sessionInit('live/a'))
        source = new ScriptedPublisher(publisher, {})
        source.write(1)
        publisher.tracksComplete()
        await host.streams.subscribe(sessionInit('live/a'))
        subscriber = host.streams.allSubscribers.at(-1)!
      })
      afterEach(() => host.dispose())

      it('gets the stream, and has all of it out when the stream is over', async () => {
        const program = await begin('sed s/^/=/')
        program.feed(subscriber, LINES)
        source.write(2)
        const reason = { code: 'timeout', text: 'subscribe timeout' } as const
        subscriber.close(reason)
        expect(await program.done).to.eql({ by: 'input', reason, code: 0, signal: null })
        const lines = output.trim().split('\n')
        expect(lines[0]).to.equal('=start')
        expect(lines.slice(1).every((line) => /^=-?\d+$/u.test(line))).to.equal(true)
        expect(lines.length).to.be.greaterThan(2)
      })

      it('ends the subscriber when it ends', async () => {
        const program = await begin('exit 1')
        program.feed(subscriber, LINES)
        expect(await program.done).to.include({ by: 'program', code: 1 })
        expect(subscriber.closeReason).to.equal('the program has ended')
      })

      for (const code of ['slow', 'failed', 'unloaded'] satisfies CloseCode[]) {
        it(`is ended with a subscriber that ended as ${code}, whatever it still has to read`, async () => {
          const program = await begin('exec sleep 60')
          program.feed(subscriber, LINES)
          const reason = { code, text: code }
          subscriber.close(reason)
          expect(await program.done).to.deep.include({ by: 'server', reason })
        })
      }
    })
  })

  describe('runProgram', () => {
    it('gives what a program makes of its input, and how it has ended', async () => {
      const init = { ...sh('tr a-z A-Z; exit 2'), input: Buffer.from('picture'), maxOutputBytes: 7 }
      expect(await runProgram(processes, init)).to.eql({ output: Buffer.from('PICTURE'), code: 2, signal: null })
    })

    it('gives a program without input none', async () => {
      const { output } = await runProgram(processes, { ...sh('cat; echo end'), maxOutputBytes: 100 })
      expect(output.toString()).to.equal('end\n')
    })

    it('ends a program that writes too much', async () => {
      const endless = runProgram(processes, { ...sh('while echo more; do :; done'), maxOutputBytes: 100 })
      expect(await endless.catch((error: unknown) => error)).to.be.instanceOf(RangeError)
    })

    it('gives what there is when the signal ends it', async () => {
      const stop = new AbortController()
      const ended = runProgram(processes, { ...sh('exec cat'), maxOutputBytes: 100, signal: stop.signal })
      stop.abort()
      expect(await ended).to.deep.include({ output: Buffer.alloc(0), code: null })
    })
  })
})
