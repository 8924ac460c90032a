import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type {
  Dialer,
  FormerNames,
  HookRegistry,
  HttpConfig,
  InheritedConfig,
  Job,
  JobInit,
  Kysely,
  MachineAddresses,
  MetricRegistry,
  Migration,
  OperationRegistry,
  PluginConfig,
  PluginDefinition,
  PluginDirectory,
  PortRange,
  PullJobs,
  PushJobs,
  ServerConfig,
  ServerNode,
  StreamManager,
  TaskRegistry,
  TcpConfig,
  TcpListener,
  Type,
  UdpConfig,
} from 'sluice/sdk'
import type { SectionConfig } from '../../config/section.ts'
import type { BoundUdpPort, UdpPortHandler } from '../../net/bound-udp-port.ts'
import type { SessionPort, TcpSessionPort } from '../../net/session-ports.ts'
import type { CertificateFiles, CertificateLife, ServerCertificate } from '../../net/tls.ts'
import type { ServerStorage } from 'sluice/sdk/host'
import type { ServiceDirectory } from '../service-directory.ts'

/** A plugin's effective config; what is in its own keys is the plugin's business. */
export type PluginValues = PluginConfig<Type.TObject>
export type PluginSection = SectionConfig<PluginValues>

/** A generation as the parts of the server know it; by identity. */
export type GenerationOwner = {
  readonly plugin: string
  readonly generation: number
  readonly log: Logger
}

/** The streams as one generation reaches them. */
export interface GenerationStreams {
  readonly manager: StreamManager
  /** Running sessions, waiting subscribers included. */
  readonly sessionCount: number
  configure(config: Readonly<InheritedConfig>): void
  /** Ends all sessions. */
  close(reason: string): void
  /** Takes back what was set: the auth handler. */
  dispose(): void
}

/** Ports lent to one generation. */
export interface GenerationLease {
  readonly addresses: TcpListener['addresses']
  /** The address that was taken in place of `listenaddr`. */
  readonly instead?: string | undefined
  /** Binds what the generation before had to make room for; it goes on when this lease is released. */
  bind(): Promise<void>
  activate(): void
  release(): Promise<void>
  handOver(socket: Socket, state: unknown): boolean
}

/** A UDP port lent to one generation. */
export interface GenerationUdpLease extends Pick<GenerationLease, 'bind' | 'activate' | 'release'> {
  readonly port: BoundUdpPort
}

/** The HTTP side of one generation. */
export interface GenerationHttp {
  readonly instance: FastifyInstance
  readonly operations: OperationRegistry
  readonly openRequests: number
  /** See `PluginContext.sessionToken`. */
  sessionToken(): string
  activate(): Promise<void>
  /** Takes no new requests but those that have a token of its own; open ones go on. */
  retire(): Promise<void>
  /** Takes no requests any more; open ones go on. */
  leave(): void
  dispose(): Promise<void>
}

/** The tables of a plugin, as one generation has them. */
export interface GenerationTables {
  readonly db: Kysely<unknown>
  /**
   * Waits until the migrations have run or, where there is no database now, until that is known.
   * @throws {Error} when they can't run at all
   */
  prepare(): Promise<void>
  /** @throws {Error} when they are closed */
  assertOpen(): void
  /** From now on, queries fail with the error that `reason` makes. */
  close(reason: () => Error): void
}

/** The parts of the server that generations are made from. */
export type GenerationParts = {
  readonly node: ServerNode
  /** The logger of a plugin. */
  createLog(plugin: string, config: Readonly<InheritedConfig>): Logger
  readonly hooks: { registryFor(owner: GenerationOwner): HookRegistry; removeOwner(owner: GenerationOwner): void }
  readonly tasks: {
    registryFor(owner: GenerationOwner): TaskRegistry
    stopOwner(owner: GenerationOwner, reason: string): Promise<void>
  }
  readonly services: ServiceDirectory
  readonly metrics: {
    registryFor(owner: GenerationOwner, prefix: string): MetricRegistry
    activate(owner: GenerationOwner): void
    removeOwner(owner: GenerationOwner): void
  }
  readonly store: {
    lend(plugin: string, migrations: Readonly<Record<string, Migration>>, former?: FormerNames): GenerationTables
    readonly exists: boolean
    onAvailable(listener: () => unknown): () => void
  }
  readonly jobs: {
    readonly pulls: PullJobs
    readonly pushes: PushJobs
    /** @param tasks those of the generation */
    start(tasks: TaskRegistry, init: JobInit): Job
  }
  readonly plugins: Pick<PluginDirectory, 'list' | 'protocolOf' | 'rules'> & {
    /** Calls back after plugins may have changed. @returns stops that */
    onChange(listener: () => void): () => void
  }
  /** Reasons for which the server is not ready. @returns takes it back */
  readonly readiness: { add(name: string, isWell: () => boolean): () => void }
  /** The files of the server, which all plugins share. */
  readonly files: ServerStorage
  readonly streams: {
    forOwner(
      owner: GenerationOwner & { readonly config: Readonly<InheritedConfig>; readonly closingNotice: boolean },
    ): GenerationStreams
  }
  /** See `PluginContext.global`. */
  global(): Readonly<ServerConfig>
  /** See `Net.addresses`. */
  addresses(): MachineAddresses
  /** See `Net.dialer`; no proxy where `proxy` is empty. */
  dialer(proxy: string): Dialer
  readonly net: {
    acquire(
      owner: GenerationOwner,
      config: TcpConfig & { readonly section?: string | undefined; readonly fallback?: string | undefined },
      onConnection: (socket: Socket, handedOver?: unknown) => void,
    ): Promise<GenerationLease>
    acquireUdp(
      owner: GenerationOwner,
      config: UdpConfig & { readonly section?: string | undefined },
      handler: UdpPortHandler,
    ): Promise<GenerationUdpLease>
    takePort(owner: GenerationOwner, range: PortRange, handler: UdpPortHandler): Promise<SessionPort>
    takePortPair(
      owner: GenerationOwner,
      range: PortRange,
      handlers: readonly [UdpPortHandler, UdpPortHandler],
    ): Promise<readonly [SessionPort, SessionPort]>
    takeTcpPort(
      owner: GenerationOwner,
      range: PortRange,
      onConnection: (socket: Socket) => void,
    ): Promise<TcpSessionPort>
    openCertificate(
      owner: GenerationOwner,
      files: CertificateFiles,
      life: CertificateLife,
    ): Promise<Pick<ServerCertificate, 'pair' | 'onRenewed' | 'close'>>
  }
  readonly http: {
    createPluginHttp(options: {
      readonly name: string
      readonly mounts: readonly string[]
      readonly config: HttpConfig
      readonly log: Logger
    }): Promise<GenerationHttp>
  }
  /** The effective config of plugins. */
  readonly config: {
    /** The code of a plugin lies there. */
    locate(definition: PluginDefinition, file: string): void
    /** @throws {Error} when the plugin's section is wrong */
    resolve(definition: PluginDefinition): PluginSection
    /** Does as `resolve`; from now on a reload tells the changes of this section. */
    declare(definition: PluginDefinition): PluginSection
    /** Newer code of a declared plugin is to take over; a changed config may suit it already. */
    propose(definition: PluginDefinition): void
    forget(name: string): void
  }
}
