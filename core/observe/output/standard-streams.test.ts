import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, createReadStream, openSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'

const TALKER = path.join(import.meta.dirname, 'fixtures', 'talker.ts')
const MAX_WAITING_BYTES = 1024 * 1024

type Talked = { readonly dropped: number }

describe('the streams of a process', () => {
  let folder: string
  let talker: ChildProcess | undefined
  let opened: number[]

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    opened = []
    talker = undefined
  })
  afterEach(async () => {
    talker?.kill('SIGKILL')
    for (const fd of opened) closeSync(fd)
    await rm(folder, { recursive: true, force: true })
  })

  const open = (file: string, flags: number) => {
    const fd = openSync(file, flags)
    opened.push(fd)
    return fd
  }
  const start = (stdout: number | 'pipe', stderr: number | 'pipe' = 'pipe') => {
    talker = spawn(process.execPath, [...process.execArgv, TALKER], { stdio: ['ignore', stdout, stderr, 'ipc'] })
    return talker
  }
  /** Resolves when it has written all that it has to say, and goes on. */
  const talked = async (child: ChildProcess) => (await once(child, 'message'))[0] as Talked
  const end = async (child: ChildProcess) => {
    child.send('end')
    return (await once(child, 'exit'))[0] as number
  }
  const read = async (child: ChildProcess, stdout: Readable) => {
    const [all, code] = await Promise.all([text(stdout), end(child)])
    return { lines: all.trimEnd().split('\n'), bytes: all.length, code }
  }
  /** What was kept is whole and in order, and what was dropped is told. */
  const expectLog = ({ lines, bytes, code }: Awaited<ReturnType<typeof read>>, { dropped }: Talked) => {
    expect(code).to.equal(7)
    expect(bytes).to.be.greaterThan(MAX_WAITING_BYTES)
    const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    const kept = records.filter(({ line }) => line !== undefined)
    expect(kept.map(({ line }) => line)).to.eql(kept.map((_record, index) => index))
    expect(dropped).to.be.greaterThan(20_000 - kept.length)
    const [gap, ...others] = records.slice(kept.length)
    expect(gap).to.include({ level: 'warn', lines: dropped })
    expect(others).to.eql([])
  }

  it('hold up nobody where they are a socket that nobody reads, as of a journal', async () => {
    const child = start('pipe')
    child.stdout?.pause()
    const told = await talked(child)
    if (child.stdout === null) throw new Error('there is no stdout')
    expectLog(await read(child, child.stdout), told)
  })

  it('hold up nobody where they are a pipe that nobody reads, which stays blocking for others', async () => {
    const fifo = path.join(folder, 'fifo')
    execFileSync('mkfifo', [fifo])
    const fd = open(fifo, constants.O_RDWR)
    const child = start(fd)
    const told = await talked(child)
    const flags = /flags:\s+(\d+)/u.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1] ?? ''
    expect(Number.parseInt(flags, 8) & constants.O_NONBLOCK).to.equal(0)
    const reading = createReadStream(fifo)
    await once(reading, 'open')
    opened.pop()
    closeSync(fd)
    expectLog(await read(child, reading), told)
  })

  it('end no process where the disk is full', async () => {
    const full = open('/dev/full', constants.O_WRONLY)
    const child = start(full, full)
    expect((await talked(child)).dropped).to.be.greaterThan(0)
    expect(await end(child)).to.equal(7)
  })

  it('end no process where nobody reads them any more', async () => {
    const child = start('pipe')
    child.stdout?.destroy()
    child.stderr?.destroy()
    await talked(child)
    expect(await end(child)).to.equal(7)
  })
})
