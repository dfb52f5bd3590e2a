#include "engine/plan/capabilities.hpp"

#include <gtest/gtest.h>

#include "engine/slurmconf/site.hpp"
#include "tests/engine/plan/operator_story.hpp"

namespace tessera::test {
namespace {

using operator_story::kStaticFile;
using operator_story::Kubernetes;

plan::Capabilities read_anew(const slurmconf::Site& site) {
  plan::Capabilities can = plan::slurm_capabilities();
  can.slurm = std::make_shared<const slurmconf::Site>(site);
  return can;
}

// A console reads again and again; a plan that is looked at meanwhile stays good.
TEST(Capabilities, OfASlurmSiteAreAlikeWhileItsFilesSayTheSame) {
  slurmconf::Site site;
  site.files = {{"/etc/slurm/slurm.conf", "ClusterName=hpc\n"}};
  const plan::Capabilities planned = read_anew(site);
  EXPECT_TRUE(alike(planned, read_anew(site)));
  slurmconf::Site edited = site;
  edited.files[0].text += "GresTypes=gpu\n";
  EXPECT_FALSE(alike(planned, read_anew(edited)));
  slurmconf::Site unapplied = site;
  unapplied.unapplied = {"gpu07"};
  EXPECT_FALSE(alike(planned, read_anew(unapplied)));
  plan::Capabilities unreadable = planned;
  unreadable.slurm = nullptr;
  EXPECT_FALSE(alike(planned, unreadable));
  EXPECT_FALSE(alike(unreadable, planned));
  plan::Capabilities otherwise = read_anew(site);
  otherwise.chooses_placement = !otherwise.chooses_placement;
  EXPECT_FALSE(alike(planned, otherwise));
}

TEST(Capabilities, OfAnOperatorsSiteAreAlikeWhileItsMapsAndOrdersAreTheSame) {
  Kubernetes k;
  k.site.mig_config = operators::mig_file(kStaticFile);
  const plan::Capabilities planned = k.can();
  k.site.mig_config = operators::mig_file(kStaticFile);
  k.site.node_config["n1"] = operators::mig_file(kStaticFile);
  EXPECT_TRUE(alike(planned, k.can())) << "read anew, and the same";
  k.site.kept_back["serving/rank"] = "its budget";
  k.site.labels["n1"]["nvidia.com/mig.config.state"] = "pending";
  EXPECT_TRUE(alike(planned, k.can())) << "a run looks at both again";

  auto differs = [&](auto change) {
    Kubernetes other;
    other.site.mig_config = operators::mig_file(kStaticFile);
    change(other.site);
    EXPECT_FALSE(alike(planned, other.can()));
  };
  const std::string longer = std::string(kStaticFile) + "# edited\n";
  differs([&](operators::Site& site) { site.mig_config = operators::mig_file(longer); });
  differs([&](operators::Site& site) { site.mig_config = nullptr; });
  differs([&](operators::Site& site) { site.node_config["n1"] = operators::mig_file(longer); });
  differs([&](operators::Site& site) { site.node_config["n2"] = operators::mig_file(kStaticFile); });
  differs([&](operators::Site& site) { site.labels["n1"]["nvidia.com/mig.config"] = "all-1g.10gb"; });
  differs([&](operators::Site& site) { site.strategy = "single"; });
  differs([&](operators::Site& site) { site.plugin_configs["default"] += "# edited\n"; });
}

}  // namespace
}  // namespace tessera::test
