const assert = require('node:assert/strict');
const { ethers, upgrades } = require('hardhat');

for (const [kind, one, two] of [
  ['uups', 'Box', 'BoxTwo'],
  ['transparent', 'PlainBox', 'PlainBoxTwo'],
  ['beacon', 'PlainBox', 'PlainBoxTwo'],
]) {
  it(`a ${kind} proxy is deployed and upgraded by OpenZeppelin's plugin, and keeps its state`, async () => {
    const first = await ethers.getContractFactory(one);
    const second = await ethers.getContractFactory(two);
    let box;
    if (kind === 'beacon') {
      const beacon = await upgrades.deployBeacon(first);
      await beacon.waitForDeployment();
      box = await upgrades.deployBeaconProxy(beacon, first, [41n]);
      await box.waitForDeployment();
      await (await upgrades.upgradeBeacon(await beacon.getAddress(), second)).waitForDeployment();
    } else {
      box = await upgrades.deployProxy(first, [41n], { kind });
      await box.waitForDeployment();
      const before = await upgrades.erc1967.getImplementationAddress(await box.getAddress());
      const upgraded = await upgrades.upgradeProxy(await box.getAddress(), second);
      await upgraded.deployTransaction.wait();
      const after = await upgrades.erc1967.getImplementationAddress(await box.getAddress());
      assert.notEqual(before, after);
    }
    const now = second.attach(await box.getAddress());
    await (await now.increase()).wait();
    assert.equal(await now.value(), 42n);
  });
}

it('an upgrade by a stranger is refused', async () => {
  const [, stranger] = await ethers.getSigners();
  const first = await ethers.getContractFactory('Box');
  const box = await upgrades.deployProxy(first, [1n], { kind: 'uups' });
  await box.waitForDeployment();
  const second = await ethers.getContractFactory('BoxTwo', stranger);
  await assert.rejects(upgrades.upgradeProxy(await box.getAddress(), second), /execution reverted/);
});
