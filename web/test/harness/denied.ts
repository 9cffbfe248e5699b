/** A browser that denies storage, as with all site data blocked. Evaluated in a page before its scripts. */

export const denyStorage = `{
  const deny = () => { throw new DOMException('The operation is insecure.', 'SecurityError') }
  for (const name of ['localStorage', 'sessionStorage', 'caches']) {
    Object.defineProperty(globalThis, name, { configurable: true, get: deny })
  }
  IDBFactory.prototype.open = deny
  IDBFactory.prototype.databases = async () => deny()
  IDBFactory.prototype.deleteDatabase = deny
  if (globalThis.StorageManager) StorageManager.prototype.getDirectory = async () => deny() // not in about:blank
}`
