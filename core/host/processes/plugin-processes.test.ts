import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { buffer, text } from 'node:stream/consumers'
import path from 'node:path'
import { queryObjects } from 'node:v8'
import { expect } from 'chai'
import { ProgramMissing } from 'sluice/sdk'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { TaskTree, type TaskOwner } from '../../observe/task-tree.ts'
import { logLines } from '../testing/log-lines.ts'
import { running } from './fixtures/running.ts'
import { PluginProcesses } from './plugin-processes.ts'

const COUNTER = new URL('fixtures/counter.ts', import.meta.url)
const DOUBLER = new URL('fixtures/doubler.ts', import.meta.url)
/** A program that starts another and waits for it; neither ends when asked to. */
const STUBBORN = `trap '' TERM; sleep "$0" & echo started; wait; wait`

describe('PluginProcesses', () => {
  let logged: ReturnType<typeof logLines>
  let tasks: TaskTree
  let owner: TaskOwner
  let processes: PluginProcesses
  let loaded: boolean

  beforeEach(() => {
    logged = logLines()
    logged.log.level = 'debug'
    owner = { plugin: 'jobs', generation: 1, log: logged.log }
    tasks = new TaskTree()
    loaded = true
    const assertLoaded = () => {
      if (!loaded) throw new Error('unloaded')
    }
    processes = new PluginProcesses({
      plugin: 'jobs',
      log: logged.log,
      assertLoaded,
      tasks: tasks.registryFor(owner),
    })
  })
  afterEach(() => tasks.stopOwner(owner, 'the test is over'))

  const descriptions = () => tasks.snapshot().children[0]?.children.map(({ description }) => description)
  const marker = () => `86400.${process.pid}${String(Math.random()).slice(2, 10)}`

  describe('spawn', () => {
    it('runs a program with its arguments as they are, and pipes to and from it', async () => {
      const args = ['-c', 'cat; printf %s "$0"', '$(not run) "as it is"']
      const { stdin, stdout, done } = await processes.spawn({ command: 'sh', args, owner: 'live/a' })
      stdin.end('piped ')
      expect(await text(stdout)).to.equal('piped $(not run) "as it is"')
      expect(await done).to.eql({ code: 0, signal: null })
      await waitFor(() => descriptions()?.length === 0, { what: 'the end of its task' })
    })

    it('has as many outputs as are asked for, each by itself', async () => {
      const script = 'printf first; printf third >&4; printf second >&3'
      const { stdout, outputs, done } = await processes.spawn({
        command: 'sh',
        args: ['-c', script],
        owner: 'live/a',
        outputs: 2,
      })
      const written = await Promise.all([stdout, ...outputs].map((output) => text(output)))
      expect(written).to.eql(['first', 'second', 'third'])
      expect(await done).to.eql({ code: 0, signal: null })
    })

    it('waits where an output is not read, and goes on when it is', async () => {
      const script = 'dd if=/dev/zero bs=1000 count=1000 2>/dev/null >&3; echo done'
      const { stdout, outputs } = await processes.spawn({
        command: 'sh',
        args: ['-c', script],
        owner: 'live/a',
        outputs: 1,
      })
      const said = text(stdout)
      const { length } = await buffer(outputs[0]!)
      expect([length, await said]).to.eql([1_000_000, 'done\n'])
    })

    for (const [what, command] of [
      ['that is not there', 'sluice-no-such-program'],
      ['that can not be run', import.meta.filename],
    ] as const) {
      it(`names a program ${what}`, async () => {
        const error: unknown = await processes
          .spawn({ command, args: [], owner: '' })
          .catch((thrown: unknown) => thrown)
        expect(error).to.be.instanceOf(ProgramMissing)
        expect(error).to.have.property('message').that.includes(command)
      })
    }

    it('shows operators what it uses', async function () {
      if (process.platform !== 'linux') this.skip()
      const { stdin, done } = await processes.spawn({ command: 'cat', args: [], owner: 'live/a' })
      const [shown] = descriptions() ?? []
      expect(shown).to.include({ kind: 'program', program: 'cat' })
      expect(Number(shown?.['memoryBytes'])).to.be.greaterThan(10_000)
      expect(Number(shown?.['cpuMs'])).to.be.at.least(0)
      stdin.end()
      await done
    })

    it('logs what it says, in bounds and without secrets, and again where it fails', async () => {
      const says = `echo 'opening rtmp://u:secret1@h/live?key=secret2' >&2; i=0
        while [ $i -lt 200 ]; do echo "line $i" >&2; i=$((i + 1)); done; exit 7`
      const { done } = await processes.spawn({ command: 'sh', args: ['-c', says], owner: 'live/a' })
      expect(await done).to.eql({ code: 7, signal: null })
      expect(logged.text()).to.include('opening rtmp://').and.not.include('secret')
      const failure = logged.lines.at(-1) as Readonly<Record<string, unknown>> | undefined
      expect(failure).to.deep.include({
        msg: 'the process has failed',
        level: 40,
        code: 7,
        owner: 'live/a',
        program: 'sh',
      })
      expect(failure?.['output']).to.be.an('array').with.length(10)
      expect(logged.lines.length).to.be.lessThan(190)
      expect(failure?.['leftOut']).to.equal(201 - (logged.lines.length - 1))
    })

    it('ends it when it is asked to, with what it has started, however stubborn', async () => {
      const own = marker()
      const stopping = new AbortController()
      const args = ['-c', STUBBORN, own]
      const init = { command: 'sh', args, owner: 'live/a', signal: stopping.signal }
      const { stdout, done } = await processes.spawn(init)
      await once(stdout, 'data')
      stopping.abort()
      expect(await done).to.eql({ code: null, signal: 'SIGKILL' })
      if (process.platform === 'linux') await waitFor(() => running(own).length === 0, { what: 'the end of all' })
      expect(logged.lines.filter(({ msg }) => msg === 'the process has failed')).to.eql([])
    })

    it('ends it with the generation', async () => {
      const { done } = await processes.spawn({ command: 'sleep', args: [marker()], owner: 'live/a' })
      await tasks.stopOwner(owner, 'unloaded')
      expect(await done).to.eql({ code: null, signal: 'SIGTERM' })
    })

    it('ends it where the generation has ended while it began', async () => {
      const own = marker()
      const spawning = processes.spawn({ command: 'sleep', args: [own], owner: 'live/a' })
      loaded = false
      expect(await spawning.catch((error: unknown) => error)).to.have.property('message', 'unloaded')
      if (process.platform === 'linux') await waitFor(() => running(own).length === 0, { what: 'the end of it' })
    })

    it('leaves nothing behind of those that have ended, while the signal that may end them lasts', async () => {
      const { signal } = new AbortController()
      const signals = () => queryObjects(AbortSignal, { format: 'count' })
      const before = signals()
      for (let count = 0; count < 10; count++) {
        const { done } = await processes.spawn({ command: 'true', args: [], owner: 'live/a', signal })
        await done
      }
      await waitFor(() => descriptions()?.length === 0, { what: 'the end of their tasks' })
      await waitFor(() => signals() < before + 5, {
        what: 'the end of their signals',
        intervalMs: 200,
      })
      expect(signal.aborted).to.equal(false)
    })

    it('ends what it has left behind', async () => {
      const own = marker()
      const args = ['-c', 'sleep "$0" & echo', own]
      const { done } = await processes.spawn({ command: 'sh', args, owner: 'live/a' })
      await done
      if (process.platform === 'linux') await waitFor(() => running(own).length === 0, { what: 'the end of all' })
    })

    it('is ended when the server is killed', async function () {
      if (process.platform !== 'linux') this.skip()
      const own = marker()
      const file = path.join(import.meta.dirname, 'fixtures', 'host.ts')
      const server = spawn(process.execPath, [...process.execArgv, file, 'sh', '-c', STUBBORN, own], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(server.stdout, 'data')
      expect(running(own)).not.to.eql([])
      server.kill('SIGKILL')
      await waitFor(() => running(own).length === 0, { what: 'the end of all' })
    })
  })

  for (const kind of ['thread', 'fork'] as const) {
    describe(kind, () => {
      it('runs a module that has the sdk, and takes and answers messages', async () => {
        const job = processes[kind]({ module: DOUBLER, data: { from: 1 }, owner: 'live/a' })
        const messages: unknown[] = []
        job.onMessage((message) => void messages.push(message))
        job.send(21)
        await waitFor(() => messages.length === 2, { what: 'both answers' })
        expect(messages).to.eql([{ ready: { from: 1 }, hasSdk: 'string' }, 42])
        expect(descriptions()?.[0]).to.include({ kind, module: 'doubler.ts' })
      })

      it('logs what the module throws, as its plugin, and tells how it has ended', async () => {
        const job = processes[kind]({ module: DOUBLER, owner: 'live/a' })
        job.send('no number')
        expect(await job.done).to.deep.include({ code: 1 })
        await waitFor(() => logged.text().includes('no number'), { what: 'the log' })
        expect(logged.lines.at(-1)).to.include({ [kind]: 'doubler.ts', owner: 'live/a' })
      })

      it('tells how one has ended that ends itself', async () => {
        const job = processes[kind]({ module: DOUBLER, owner: 'live/a' })
        job.send('end')
        expect(await job.done).to.eql({ code: 3, signal: null })
        job.send('late')
      })

      it('logs what a listener of the plugin throws', async () => {
        const job = processes[kind]({ module: DOUBLER, owner: 'live/a' })
        job.onMessage(() => {
          throw new Error('deaf')
        })
        await waitFor(() => logged.text().includes('deaf'), { what: 'the log' })
      })

      it('says what is wrong with a module that is not there', async () => {
        const job = processes[kind]({ module: new URL('fixtures/none.ts', import.meta.url), owner: 'live/a' })
        expect(await job.done).to.deep.include({ code: 1 })
        await waitFor(() => logged.text().includes('none.ts'), { what: 'the log' })
      })

      it('ends with the generation', async () => {
        const job = processes[kind]({ module: DOUBLER, owner: 'live/a' })
        const { promise: ready, resolve } = Promise.withResolvers<void>()
        job.onMessage(() => resolve())
        await ready
        await tasks.stopOwner(owner, 'unloaded')
        await job.done
        expect(logged.lines.filter(({ level }) => level > 30)).to.eql([])
      })
    })
  }

  describe('bytes of messages', () => {
    const SIZE_BYTES = 1_000_000

    async function exchange(kind: 'thread' | 'fork', bytes: Uint8Array<ArrayBuffer>, isGiven: boolean) {
      const job = processes[kind]({ module: COUNTER, owner: 'live/a' })
      const messages: unknown[] = []
      job.onMessage((message) => void messages.push(message))
      job.send({ bytes }, isGiven ? [bytes.buffer] : [])
      await waitFor(() => messages.length === 2, { what: 'both answers' })
      const [answer, rest] = messages as [{ bytes: Uint8Array; isBuffer: boolean }, { leftBytes: number }]
      return { ...answer, ...rest }
    }

    it('are given to a thread, and given back, where the sender says so', async () => {
      const bytes = new Uint8Array(SIZE_BYTES).fill(1)
      const answer = await exchange('thread', bytes, true)
      expect([bytes.length, answer.leftBytes]).to.eql([0, 0])
      expect(answer.bytes.length).to.equal(SIZE_BYTES)
      expect(answer.bytes.every((byte) => byte === 2)).to.equal(true)
    })

    it('are copied for a thread otherwise', async () => {
      const bytes = Buffer.alloc(SIZE_BYTES, 1)
      const answer = await exchange('thread', bytes, false)
      expect(bytes.every((byte) => byte === 1)).to.equal(true)
      expect([answer.bytes.length, answer.isBuffer]).to.eql([SIZE_BYTES, false])
    })

    it('are copied for a fork and by it, and buffers are buffers there', async () => {
      const bytes = Buffer.alloc(SIZE_BYTES, 1)
      const answer = await exchange('fork', bytes, true)
      expect([bytes.length, answer.leftBytes]).to.eql([SIZE_BYTES, SIZE_BYTES])
      expect(bytes.every((byte) => byte === 1)).to.equal(true)
      expect([answer.isBuffer, Buffer.isBuffer(answer.bytes)]).to.eql([true, true])
      expect(answer.bytes.every((byte) => byte === 2)).to.equal(true)
    })

    it('that were given away can not be given again', async () => {
      const thread = processes.thread({ module: COUNTER, owner: 'live/a' })
      const bytes = new Uint8Array(SIZE_BYTES)
      thread.send({ bytes }, [bytes.buffer])
      expect(() => thread.send({ bytes }, [bytes.buffer]))
        .to.throw(DOMException)
        .with.property('name', 'DataCloneError')
    })
  })
})
