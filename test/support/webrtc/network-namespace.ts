import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Context } from 'mocha'
import { keep } from '../../peers/lifetime.ts'
import { PeerProcess } from '../../peers/process.ts'

let opened = 0

/**
 * A network of its own with one link to this machine, on which UDP gets nowhere: for programs that are to find out that
 * only TCP is left. Linux, as root. It ends with the test.
 */
export class NetworkNamespace {
  /** Of this machine, as seen from inside; a server must listen there. */
  readonly hostAddress: string
  readonly #name: string

  private constructor(name: string, hostAddress: string) {
    this.#name = name
    this.hostAddress = hostAddress
  }

  /** Skips the test where no network can be made, and says so. */
  static openWithoutUdp(context: Context): NetworkNamespace {
    const place = opened++
    const name = `sluice-${process.pid}-${place}`
    const [outside, inside] = [`slo${process.pid % 100_000}-${place}`, `sli${process.pid % 100_000}-${place}`]
    // Of the block for tests of devices (RFC 2544); processes that run at once get networks of their own.
    const network = `198.18.${process.pid % 256}`
    const [hostAddress, ownAddress] = [`${network}.${place * 4 + 1}`, `${network}.${place * 4 + 2}`]
    keep({ close: () => void run(`netns delete ${name}`) })
    const commands = [
      `netns add ${name}`,
      `link add ${outside} type veth peer name ${inside} netns ${name}`,
      `address add ${hostAddress}/30 dev ${outside}`,
      `link set ${outside} up`,
      `-n ${name} address add ${ownAddress}/30 dev ${inside}`,
      `-n ${name} link set ${inside} up`,
      `-n ${name} link set lo up`,
      // A rule that comes before all routes, so that no table of a firewall is needed.
      `-n ${name} rule add ipproto udp prohibit priority 1`,
    ]
    const failed = commands.find((command) => !run(command))
    if (failed !== undefined) {
      process.stdout.write(`  ip ${failed} is not possible here; skipping ${context.test?.fullTitle() ?? ''}\n`)
      context.skip()
    }
    return new NetworkNamespace(name, hostAddress)
  }

  /** Starts a program inside. */
  start(program: string, args: readonly string[]): PeerProcess {
    return new PeerProcess('ip', ['netns', 'exec', this.#name, program, ...args])
  }

  /** The path of a program that starts another one inside, for those who start programs themselves. */
  starterOf(program: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'namespace-'))
    keep({ close: () => rmSync(folder, { recursive: true, force: true }) })
    const path = join(folder, 'start')
    writeFileSync(path, `#!/bin/sh\nexec ip netns exec ${this.#name} ${program} "$@"\n`, { mode: 0o700 })
    return path
  }
}

function run(command: string): boolean {
  return spawnSync('ip', command.split(' ')).status === 0
}
