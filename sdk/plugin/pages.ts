/** A page of a plugin, as menus show it. */
export type PluginPage = {
  /** The path below the plugin's first mount, with a slash in front: `/` is the mount itself. */
  readonly url: string
  /** Its name in a menu. */
  readonly title: string
  /** The address of the picture beside it, also below the mount; none unless given. */
  readonly icon?: string
}
