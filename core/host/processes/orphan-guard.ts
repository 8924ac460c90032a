import { spawn, type ChildProcess } from 'node:child_process'

/**
 * Reads `+GROUP` and `-GROUP`, and ends the remaining groups when its input ends, which it does when the server has ended in
 * any way. It is a shell and not Node, as it takes a megabyte and starts at once.
 */
const SCRIPT = `
groups=' '
while read -r line; do
  group="\${line#?}"
  case "$line" in
    +*) groups="$groups$group " ;;
    -*) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null; done
[ "$groups" = ' ' ] || sleep 2
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
`

/** Ends the process groups of programs and forks when the server is killed, and can't end them itself. */
export class OrphanGuard {
  readonly #groups = new Set<number>()
  #shell: ChildProcess | undefined

  /** Adds a process group, by the id of its first process. */
  add(group: number): void {
    this.#groups.add(group)
    if (this.#shell === undefined) this.#start()
    else this.#send(`+${group}`)
  }

  /** Removes a group that has ended. */
  delete(group: number): void {
    if (this.#groups.delete(group)) this.#send(`-${group}`)
  }

  #start(): void {
    if (process.platform === 'win32') return
    // In a separate session, it receives no signals of the server's terminal.
    const shell = spawn('/bin/sh', ['-c', SCRIPT], { detached: true, stdio: ['pipe', 'ignore', 'ignore'], env: {} })
    const gone = () => {
      if (this.#shell === shell) this.#shell = undefined
    }
    shell.once('error', gone)
    shell.once('exit', gone)
    shell.stdin.on('error', gone)
    shell.unref()
    if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref()
    this.#shell = shell
    for (const group of this.#groups) this.#send(`+${group}`)
  }

  #send(line: string): void {
    this.#shell?.stdin?.write(`${line}\n`)
  }
}
