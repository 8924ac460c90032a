import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type {
  Dialer,
  DialerOptions,
  FormerNames,
  HookOrder,
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
  PullSource,
  PullWish,
  PushJobs,
  RunningPull,
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

/** A plugin's effective config; the host does not know the plugin's own keys. */
export type PluginValues = PluginConfig<Type.TObject>
export type PluginSection = SectionConfig<PluginValues>

/** A generation as the owner of its hooks, sessions and ports in the parts of the server; compared by identity. */
export type GenerationOwner = {
  readonly plugin: string
  readonly generation: number
  readonly log: Logger
}

/** The access of one generation to the streams. */
export interface GenerationStreams {
  readonly manager: StreamManager
  /** The number of running sessions and waiting subscribers. */
  readonly sessionCount: number
  configure(config: Readonly<InheritedConfig>): void
  /** Ends all sessions. */
  close(reason: string): void
  /** Removes the auth handler that the generation has set. */
  dispose(): void
}

/** The TCP ports that one generation has leased. */
export interface GenerationLease {
  readonly addresses: TcpListener['addresses']
  /** The address that is used instead of `listenaddr`. */
  readonly instead?: string | undefined
  /** Binds addresses that conflict with a port of the generation before; that port resumes when this lease is released. */
  bind(): Promise<void>
  activate(): void
  release(): Promise<void>
  handOver(socket: Socket, state: unknown): boolean
}

/** A UDP port that one generation has leased. */
export interface GenerationUdpLease extends Pick<GenerationLease, 'bind' | 'activate' | 'release'> {
  readonly port: BoundUdpPort
}

/** The HTTP routes of one generation. */
export interface GenerationHttp {
  readonly instance: FastifyInstance
  readonly operations: OperationRegistry
  readonly openRequests: number
  /** See `PluginContext.sessionToken`. */
  sessionToken(): string
  activate(): Promise<void>
  /** Refuses new requests but those with a token of this generation; open requests go on. */
  retire(): Promise<void>
  /** Refuses all new requests; open requests go on. */
  leave(): void
  dispose(): Promise<void>
}

/** The access of one generation to the tables of its plugin. */
export interface GenerationTables {
  readonly db: Kysely<unknown>
  /**
   * Resolves when the migrations have run, or when it is known that there is no database at present.
   * @throws {Error} when they can't run at all
   */
  prepare(): Promise<void>
  /** @throws {Error} when the tables are closed */
  assertOpen(): void
  /** Makes all queries from now on fail with the error that `reason` returns. */
  close(reason: () => Error): void
}

/** The parts of the server that generations are made from. */
export type GenerationParts = {
  readonly node: ServerNode
  /** Creates the logger of a plugin. */
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
    readonly pulls: Omit<PullJobs, 'addSource' | 'start'> & {
      /** @param plugin the plugin of the source */
      addSource(source: PullSource, order: Pick<HookOrder, 'stage'> | undefined, plugin: string): () => void
      /** @param plugin the plugin that wants it */
      start(wish: PullWish, plugin: string): RunningPull | undefined
    }
    readonly pushes: PushJobs
    /** @param tasks the task registry of the generation */
    start(tasks: TaskRegistry, init: JobInit): Job
  }
  readonly plugins: Pick<PluginDirectory, 'list' | 'protocolOf' | 'rules'> & {
    /**
     * Calls back after plugins may have changed.
     * @returns a function that stops the calls
     */
    onChange(listener: () => void): () => void
  }
  /**
   * The reasons for which the server is not ready.
   * @returns a function that removes the reason
   */
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
  dialer(proxy: string, options?: DialerOptions): Dialer
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
    /** Sets the file of a plugin's code. */
    locate(definition: PluginDefinition, file: string): void
    /** @throws {Error} when the plugin's section is wrong */
    resolve(definition: PluginDefinition): PluginSection
    /** Like `resolve`, but reloads report the changes of this section from now on. */
    declare(definition: PluginDefinition): PluginSection
    /** Announces newer code of a declared plugin, which a changed config may fit already. */
    propose(definition: PluginDefinition): void
    forget(name: string): void
  }
}
