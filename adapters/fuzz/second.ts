// biome-ignore lint/suspicious/noExplicitAny: whatever the library offers.
type Library = any;

/** A second implementation to compare with, undefined where it is not installed: these are here for development only. */
export async function second(
  name: 'ethers' | '@cosmjs/encoding' | 'cosmjs-types/cosmos/tx/v1beta1/tx',
): Promise<Library | undefined> {
  try {
    return await import(name);
  } catch {
    return undefined;
  }
}
