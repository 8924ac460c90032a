import { spawn } from 'node:child_process'
import { expect } from 'chai'
import { usageOf } from './process-usage.ts'

describe('usageOf', () => {
  it('counts what a process has started, and nothing of one that has ended', async function () {
    if (process.platform !== 'linux') return this.skip()
    const shell = spawn('/bin/sh', ['-c', 'sleep 600 & echo $!; wait'], { detached: true })
    const ended = new Promise((resolve) => void shell.once('exit', resolve))
    const child = Number(await new Promise((resolve) => void shell.stdout.once('data', resolve)))
    const [both, ofChild] = [usageOf(shell.pid!), usageOf(child)]
    expect(both?.cpuMs).to.be.at.least(0)
    expect(ofChild?.memoryBytes).to.be.above(0)
    expect(both?.memoryBytes).to.be.above(ofChild!.memoryBytes)
    process.kill(-shell.pid!, 'SIGKILL')
    await ended
    expect(usageOf(shell.pid!)).to.equal(undefined)
  })
})
