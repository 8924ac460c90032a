import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type {
  HookRegistry,
  HttpConfig,
  InheritedConfig,
  PluginConfig,
  PluginDefinition,
  StreamManager,
  TaskRegistry,
  TcpConfig,
  TcpListener,
  Type,
} from 'sluice/sdk'
import type { SectionConfig } from '../../config/section.ts'
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
export interface GenerationLease extends TcpListener {
  /** Binds what the generation before had to make room for; it goes on when this lease is released. */
  bind(): Promise<void>
  activate(): void
  release(): Promise<void>
}

/** The HTTP side of one generation. */
export interface GenerationHttp {
  readonly instance: FastifyInstance
  readonly openRequests: number
  activate(): Promise<void>
  /** Takes no new requests; open ones go on. */
  retire(): Promise<void>
  dispose(): Promise<void>
}

/** The parts of the server that generations are made from. */
export type GenerationParts = {
  /** The logger of a plugin. */
  createLog(plugin: string, config: Readonly<InheritedConfig>): Logger
  readonly hooks: { registryFor(owner: GenerationOwner): HookRegistry; removeOwner(owner: GenerationOwner): void }
  readonly tasks: {
    registryFor(owner: GenerationOwner): TaskRegistry
    stopOwner(owner: GenerationOwner, reason: string): Promise<void>
  }
  readonly services: ServiceDirectory
  readonly streams: {
    forOwner(
      owner: GenerationOwner & { readonly config: Readonly<InheritedConfig>; readonly closingNotice: boolean },
    ): GenerationStreams
  }
  readonly net: {
    acquire(
      owner: GenerationOwner,
      config: TcpConfig & { readonly section?: string | undefined },
      onConnection: (socket: Socket) => void,
    ): Promise<GenerationLease>
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
