import { isIPv6 } from 'node:net'
import { getSystemErrorName } from 'node:util'
import { type Ffi, loadFfi, messageOf } from 'sluice/sdk'
import { ipWords } from 'sluice/sdk/host'

/** System calls on UDP sockets that Node has no function for. */
export interface SocketCalls {
  /** The kernel cuts one message into datagrams (UDP_SEGMENT, udp(7)). */
  readonly canSegment: boolean
  /**
   * Makes a bound UDP socket, which its caller has to close.
   * @returns its descriptor; undefined when the address has a form that only Node can parse
   * @throws {Error} with a `code` when the address can't be bound
   */
  bind(host: string, port: number): number | undefined
  /** Keeps other sockets from binding the same address, which libuv allows on sockets that it did not make itself. */
  forbidReuse(fd: number): void
  close(fd: number): void
  /**
   * Sends messages by sendmmsg(2).
   * @returns the number of messages that were sent, or the error of the first as a negative number
   */
  sendMessages(fd: number, headers: bigint, count: number): number
  /** The address of bytes in memory; the buffer must be kept as long as the address is used. */
  pointerTo(bytes: ArrayBuffer): bigint
}

/** The calls of a process, or the reason why it has none. */
export type SocketCallsFound =
  | { readonly calls: SocketCalls; readonly why: '' }
  | { readonly calls: undefined; readonly why: string }

// Linux, where all of these are the same on x86-64 and ARM64 (bits/socket.h, asm-generic/socket.h, linux/udp.h).
const AF_INET = 2
const AF_INET6 = 10
const SOCK_DGRAM_NONBLOCK_CLOEXEC = 2 | 0o4000 | 0o2_000_000
const SOL_SOCKET = 1
const SO_REUSEADDR = 2
const SOL_UDP = 17
const UDP_SEGMENT = 103
const KNOWN_ARCHITECTURES = new Set(['x64', 'arm64'])

const DEFINITIONS = {
  socket: { return: 'i32', arguments: ['i32', 'i32', 'i32'] },
  bind: { return: 'i32', arguments: ['i32', 'pointer', 'u32'] },
  setsockopt: { return: 'i32', arguments: ['i32', 'i32', 'i32', 'pointer', 'u32'] },
  // The pointers are passed as numbers, in the same registers: node:ffi calls functions with pointers only by compiled code,
  // which is far quicker.
  sendmmsg: { return: 'i32', arguments: ['pointer', 'pointer', 'pointer', 'pointer'] },
  close: { return: 'i32', arguments: ['i32'] },
  __errno_location: { return: 'pointer', arguments: [] },
} as const

let found: SocketCallsFound | undefined

/** The calls of this process, which are searched for once. */
export function findSocketCalls(): SocketCallsFound {
  return (found ??= find())
}

function find(): SocketCallsFound {
  const { platform, arch } = process
  if (platform !== 'linux' || !KNOWN_ARCHITECTURES.has(arch)) {
    return { calls: undefined, why: `not known on ${platform} ${arch}` }
  }
  try {
    const ffi = loadFfi()
    if (ffi === undefined) return { calls: undefined, why: `Node ${process.versions.node} has no node:ffi` }
    return { calls: makeCalls(ffi), why: '' }
  } catch (error) {
    return { calls: undefined, why: messageOf(error) }
  }
}

function makeCalls(ffi: Ffi): SocketCalls {
  const { socket, bind, setsockopt, sendmmsg, close, __errno_location } = ffi.dlopen(null, DEFINITIONS).functions
  const errno = __errno_location()
  const failure = () => -ffi.getInt32(errno)
  const zero = new Int32Array(1)
  const open = (family: number) => {
    const fd = socket(family, SOCK_DGRAM_NONBLOCK_CLOEXEC, 0)
    if (fd < 0) throw systemError(failure(), 'socket')
    return fd
  }

  const probe = open(AF_INET)
  const canSegment = setsockopt(probe, SOL_UDP, UDP_SEGMENT, zero, zero.byteLength) === 0
  close(probe)

  return {
    canSegment,
    bind(host, port) {
      const words = ipWords(host)
      if (words === undefined) return undefined
      const fd = open(isIPv6(host) ? AF_INET6 : AF_INET)
      const address = new Uint32Array(socketAddressWords(words))
      writeSocketAddress(address, 0, words, port)
      if (bind(fd, address, address.byteLength) === 0) return fd
      const error = systemError(failure(), 'bind', `${host}:${port}`)
      close(fd)
      throw error
    },
    forbidReuse: (fd) => void setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, zero, zero.byteLength),
    close: (fd) => void close(fd),
    sendMessages(fd, headers, count) {
      const sent = sendmmsg(BigInt(fd), headers, BigInt(count), 0n)
      return sent >= 0 ? sent : failure()
    },
    pointerTo: (bytes) => ffi.getRawPointer(bytes),
  }
}

/** The size of a `sockaddr_in` or a `sockaddr_in6` in words of 32 bits, by the words of the address. */
export function socketAddressWords(ip: Uint32Array): 4 | 7 {
  return ip.length === 1 ? 4 : 7
}

/** Writes a `sockaddr_in` or a `sockaddr_in6` (ip(7), ipv6(7)) into words; those without a field must be zero. */
export function writeSocketAddress(target: Uint32Array, at: number, ip: Uint32Array, port: number): void {
  // The port is in network order behind the address family, which is in the machine's order.
  const swapped = ((port & 0xff) << 8) | (port >>> 8)
  if (ip.length === 1) {
    target[at] = AF_INET | (swapped << 16)
    target[at + 1] = ip[0]!
    return
  }
  target[at] = AF_INET6 | (swapped << 16)
  target[at + 1] = 0
  target[at + 2] = ip[0]!
  target[at + 3] = ip[1]!
  target[at + 4] = ip[2]!
  target[at + 5] = ip[3]!
}

/** An error like those of Node, with its `code`. */
function systemError(errno: number, syscall: string, address = ''): Error {
  const code = getSystemErrorName(errno)
  return Object.assign(new Error(`${syscall} ${code} ${address}`.trimEnd()), { code, errno, syscall })
}
